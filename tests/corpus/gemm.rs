//! A register-tiled product of matrices: 128×128 elements a block, 8×8 a thread, two stages of
//! shared tiles, and 16-byte loads and stores.

use warpsmith::prelude::*;

/// Rows and columns of the product that a block computes.
pub const TILE: u32 = 128;
/// Columns of `a` and rows of `b` that a stage holds.
pub const DEPTH: u32 = 8;
/// Threads of a block: 16 by 16, each with two by two parts of 4×4 elements.
pub const THREADS: u32 = 256;

/// Vectors in a row of a tile.
const VECTORS: u32 = TILE / 4;

/// The components of two vectors.
#[gpu_fn]
fn eight(a: F32x4, b: F32x4) -> [f32; 8] {
    [a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w]
}

/// `c = a * b`; `a`: row-major `[m, k]`, `b`: `[k, n]`, `c`: `[m, n]`, each as vectors of four columns.
///
/// `m` and `n` are multiples of [`TILE`], `k` one of [`DEPTH`]; the grid is `[n / TILE, m / TILE]`.
#[gpu_kernel(launch_bounds(256, 2), noalias)]
pub fn sgemm(a: &[F32x4], b: &[F32x4], c: &mut [F32x4], k: u32, n: u32) {
    // Columns of `a` are rows of its tile; a thread reads its rows as vectors.
    let mut a_tile = shared!([[[f32; TILE]; DEPTH]; 2], align = 16);
    let mut b_tile = shared!([[[F32x4; VECTORS]; DEPTH]; 2]);
    let t = thread_idx().x;
    let (a_row, a_col) = (t / 2 % TILE, t % 2);
    let (b_row, b_col) = (t / VECTORS % DEPTH, t % VECTORS);
    let (ty, tx) = (t / 16 % 16, t % 16);
    let mut a_at = (block_idx().y * TILE + a_row) * (k / 4) + a_col;
    let mut b_at = b_row * (n / 4) + block_idx().x * VECTORS + b_col;

    let mut next_a = a[a_at];
    let mut next_b = b[b_at];
    let mut sums = [[0.0f32; 8]; 8];
    let steps = k / DEPTH;
    for step in 0..steps {
        let stage = step % 2;
        a_tile[stage][a_col * 4][a_row] = next_a.x;
        a_tile[stage][a_col * 4 + 1][a_row] = next_a.y;
        a_tile[stage][a_col * 4 + 2][a_row] = next_a.z;
        a_tile[stage][a_col * 4 + 3][a_row] = next_a.w;
        b_tile[stage][b_row][b_col] = next_b;
        // One barrier a step: what the others still read is the other stage.
        sync_threads();
        if step + 1 < steps {
            a_at += DEPTH / 4;
            b_at += DEPTH / 4 * n;
            next_a = a[a_at];
            next_b = b[b_at];
        }
        #[unroll]
        for e in 0..DEPTH {
            let a_row = a_tile[stage][e].reinterpret::<F32x4>();
            let rows = eight(a_row[ty], a_row[ty + 16]);
            let cols = eight(b_tile[stage][e][tx], b_tile[stage][e][tx + 16]);
            #[unroll]
            for i in 0..8 {
                #[unroll]
                for j in 0..8 {
                    sums[i][j] += rows[i] * cols[j];
                }
            }
        }
    }

    let row = block_idx().y * TILE + ty * 4;
    let col = block_idx().x * VECTORS + tx;
    #[unroll]
    for i in 0..8u32 {
        let start = (row + i / 4 * 64 + i % 4) as usize * (n / 4) as usize + col as usize;
        let s = sums[i];
        c[start] = F32x4::new(s[0], s[1], s[2], s[3]);
        c[start + 16] = F32x4::new(s[4], s[5], s[6], s[7]);
    }
}
