//! The kernel: a ring of stages in shared memory, and blocks of sums in registers.
//!
//! A block of 256 threads has a tile of `c`, and copies a few columns of `a` and rows of `b` at a time to a ring in shared memory.
//! Each thread has a block of sums in registers: reads of shared memory are far fewer than products.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

use warpsmith::prelude::*;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};
use super::copy::{DEPTH, Feed, Lines, PAD};

/// Threads of a block: eight warps of 4 × 8 lanes.
pub const THREADS: u32 = 256;
/// Stages of the ring.
pub(super) const STAGES: usize = 4;

/// `R` × `C` groups of 4 × 4 sums of a thread.
type Sums<const R: usize, const C: usize> = [[[[f32; 4]; C]; 4]; R];

/// `GROUPS` groups of four elements of a stage's line, `APART` elements apart.
#[gpu_fn]
fn fragment<const GROUPS: usize, const APART: usize>(from: *const f32) -> [[f32; 4]; GROUPS] {
    let mut groups = [[0.0f32; 4]; GROUPS];
    #[unroll]
    for g in 0..GROUPS {
        let group = from.wrapping_add(g * APART) as *const F32x4;
        let group = unsafe { *group };
        groups[g] = [group.x, group.y, group.z, group.w];
    }
    groups
}

/// Adds the products of a column of `a` and a row of `b`.
///
/// A multiprocessor reads two of the three operands of a product in a cycle, and keeps the third from the product before. So neighbours
/// share an element of the longer side, and where those of one end, the next begin with the same element of the shorter side.
#[gpu_fn]
fn multiply<const R: usize, const C: usize>(sums: &mut Sums<R, C>, rows: [[f32; 4]; R], cols: [[f32; 4]; C]) {
    let (long, short) = if R > C { (4 * R, 4 * C) } else { (4 * C, 4 * R) };
    #[unroll]
    for x in 0..long {
        #[unroll]
        for step in 0..short {
            let y = if x % 2 == 0 { step } else { short - 1 - step };
            let (i, j) = if R > C { (x, y) } else { (y, x) };
            let (a, b) = (rows[i / 4][i % 4], cols[j / 4][j % 4]);
            sums[i / 4][i % 4][j / 4][j % 4] = a.mul_add(b, sums[i / 4][i % 4][j / 4][j % 4]);
        }
    }
}

/// Adds the products of all steps. `a_mine` and `b_mine` are the calling thread's first elements in the rings.
///
/// The elements that are multiplied next are read beside the products of those before, the last of a step's behind the barrier to the
/// next step. Copies of later steps are spread over the products: many at once would keep these reads waiting.
/// `WHOLE`: all elements of the stages exist.
#[gpu_fn]
fn sum<
    const A_BESIDE: bool,
    const B_BESIDE: bool,
    const WIDE: bool,
    const M: usize,
    const N: usize,
    const R: usize,
    const C: usize,
    const WHOLE: bool,
>(
    sums: &mut Sums<R, C>,
    a: Feed<M, A_BESIDE, WIDE>,
    b: Feed<N, B_BESIDE, WIDE>,
    a_mine: *const f32,
    b_mine: *const f32,
    steps: usize,
) {
    let (mut a, mut b) = (a, b);
    #[unroll]
    for s in 0..STAGES - 1 {
        if WHOLE {
            a.copy(s, 0, 1);
            b.copy(s, 0, 1);
            // Behind the last step, its copies are repeated, and not used.
            if s + 1 < steps {
                a.advance();
                b.advance();
            }
        } else if s < steps {
            a.copy_ragged(s, s);
            b.copy_ragged(s, s);
        }
        copy_async_commit();
    }
    copy_async_wait::<{ STAGES as u32 - 2 }>();
    sync_threads();
    let (mut stage, mut free) = (0, STAGES - 1);
    let mut rows = fragment::<R, 16>(a_mine);
    let mut cols = fragment::<C, 32>(b_mine);
    for s in 0..steps {
        let here = stage;
        stage = if here == STAGES - 1 { 0 } else { here + 1 };
        if !WHOLE && s + STAGES - 1 < steps {
            a.copy_ragged(free, s + STAGES - 1);
            b.copy_ragged(free, s + STAGES - 1);
        }
        #[unroll]
        for e in 0..DEPTH {
            let (these_rows, these_cols) = (rows, cols);
            let mut from = here;
            if e + 1 == DEPTH {
                // All have what the next step reads, and have read what its copies overwrite.
                copy_async_commit();
                copy_async_wait::<{ STAGES as u32 - 2 }>();
                sync_threads();
                if WHOLE || s + 1 < steps {
                    from = stage;
                }
            } else if WHOLE {
                a.copy(free, e, DEPTH - 1);
                b.copy(free, e, DEPTH - 1);
            }
            let of = (e + 1) % DEPTH;
            rows = fragment::<R, 16>(a_mine.wrapping_add((from * DEPTH + of) * (M + PAD)));
            cols = fragment::<C, 32>(b_mine.wrapping_add((from * DEPTH + of) * (N + PAD)));
            multiply::<R, C>(sums, these_rows, these_cols);
        }
        free = here;
        if WHOLE && s + STAGES < steps {
            a.advance();
            b.advance();
        }
    }
}

/// `c = a * b`, finished as `how` says, of any size.
///
/// `a`: `[m, k]`, its rows `a_stride` apart, or its columns if `A_BESIDE`; `b`: `[k, n]`, its columns `b_stride` apart, or its rows if
/// `B_BESIDE`. `WIDE` is for operands whose groups of four lines that lie side by side begin at multiples of 16 bytes. A block computes
/// `M` × `N` elements, and a thread `R` × `C` groups of 4 × 4. The grid has a block for each tile of each product.
#[gpu_kernel(launch_bounds(THREADS, BLOCKS), noalias)]
pub fn gemm_cuda_cores<
    E: Epilogue,
    const A_BESIDE: bool,
    const B_BESIDE: bool,
    const WIDE: bool,
    const M: usize,
    const N: usize,
    const R: usize,
    const C: usize,
    const BLOCKS: usize,
>(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    bias: &[f32],
    residual: &[f32],
    shape: Shape,
    how: Finish,
    epilogue: E,
) {
    let mut a_ring = shared!([[f32; M + PAD]; STAGES * DEPTH], align = 16);
    let mut b_ring = shared!([[f32; N + PAD]; STAGES * DEPTH], align = 16);
    let Place { product, row, col } = place_of(block_idx().x, tiles_of(shape.m, shape.n, [M, N]), [M, N]);
    let (a_stages, b_stages) = (a_ring[0].as_mut_ptr(), b_ring[0].as_mut_ptr());
    let a_lines = Lines { first: row, count: shape.m, stride: shape.a_stride, depth: shape.k };
    let b_lines = Lines { first: col, count: shape.n, stride: shape.b_stride, depth: shape.k };
    let from_a = a.as_ptr().wrapping_add(product * shape.batch[0]);
    let from_b = b.as_ptr().wrapping_add(product * shape.batch[1]);
    let a_feed = Feed::<M, A_BESIDE, WIDE>::new(from_a, a_lines, a_stages);
    let b_feed = Feed::<N, B_BESIDE, WIDE>::new(from_b, b_lines, b_stages);

    // The eight warps have blocks of 16 * R rows and 32 * C columns. Lanes that are next to each other share rows or columns, and
    // a read of 16 bytes a lane is two passes through shared memory.
    let (warp, lane) = (warp_id() as usize, lane_id() as usize);
    let warps_down = M / (16 * R);
    let (warp_row, warp_col) = (warp % warps_down * 16 * R, warp / warps_down * 32 * C);
    let lane_row = (lane / 2 % 2 + lane / 16 * 2) * 4;
    let lane_col = (lane % 2 + lane / 4 % 4 * 2) * 4;
    let a_mine = a_stages.wrapping_add(warp_row + lane_row) as *const f32;
    let b_mine = b_stages.wrapping_add(warp_col + lane_col) as *const f32;

    let mut sums = [[[[0.0f32; 4]; C]; 4]; R];
    let steps = shape.k.div_ceil(DEPTH);
    if a_lines.fill::<M>() && b_lines.fill::<N>() {
        sum::<A_BESIDE, B_BESIDE, WIDE, M, N, R, C, true>(&mut sums, a_feed, b_feed, a_mine, b_mine, steps);
    } else if steps > 0 {
        sum::<A_BESIDE, B_BESIDE, WIDE, M, N, R, C, false>(&mut sums, a_feed, b_feed, a_mine, b_mine, steps);
    }

    let finisher = Finisher::new(how, bias, residual, epilogue, product);
    let to = c.as_mut_ptr().wrapping_add(product * shape.batch[2]);
    let (row, col) = (row + warp_row + lane_row, col + warp_col + lane_col);
    let is_wide = to as usize % 16 == 0 && how.c_stride % 4 == 0;
    #[unroll]
    for i in 0..4 * R {
        let r = row + i / 4 * 16 + i % 4;
        #[unroll]
        for g in 0..C {
            let first = col + g * 32;
            if r < shape.m && first < shape.n {
                let place = to.wrapping_add(r * how.c_stride + first);
                finisher.store_four(sums[i / 4][i % 4][g], r, first, shape.n - first, place, is_wide);
            }
        }
    }
}
