//! A product of matrices for compute capability 9.0: the copy engine fills a ring of tiles, and warpgroups multiply them.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::Accumulator;

/// Rows of `c` that a cluster of two blocks computes: 64 by each of the two warpgroups of each block.
pub const ROWS: usize = 256;
/// Columns of `c` that both compute.
pub const COLS: usize = 256;
/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;

/// Blocks of a launch on an H100 or H200, fewer than its 132 multiprocessors: powers of two divide large products evenly.
pub const BLOCKS: u32 = 128;

/// Stages of the ring.
const STAGES: usize = 4;
/// Rows of `c` that a block computes, and columns of `c` for which a block loads `b`, for both blocks.
const HALF: usize = 128;
/// Rows of `b` that are loaded at a time.
const BOX: usize = 64;
/// Rows of tiles that blocks work on at the same time; the L2 cache keeps their data.
const BAND: u32 = 8;

/// The tiles that a block loads in one step: rows of `a` for itself, and half of the columns for both blocks.
#[derive(Stage)]
struct Step<'a> {
    rows: Tile<'a, bf16, HALF, DEPTH, Swizzle128>,
    cols: Tile<'a, bf16, COLS, DEPTH, Swizzle128>,
}

/// Row and column of the first element of tile `i` of `down` × `across`: down each column of a band of [`BAND`] rows of tiles.
#[gpu_fn]
fn tile_at(i: u32, down: u32, across: u32) -> [u32; 2] {
    let band = i / (BAND * across);
    let rows = (down - band * BAND).min(BAND);
    let within = i % (BAND * across);
    [(band * BAND + within % rows) * ROWS as u32, within / rows * COLS as u32]
}

/// `c = a * bᵀ`, summed in `f32`; `a`: row-major `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`. If `TURNED`, `c = a * b` with `b`: `[k, n]`.
/// `steps` is `k / DEPTH`, and `down` and `across` are `m / ROWS` and `n / COLS`, each rounded up.
///
/// The grid has an even number of blocks, at most one for each multiprocessor, such as [`BLOCKS`]. A cluster computes every
/// `grid / 2`-th tile. One thread of each block fills the pipeline with the block's rows of `a`, and with one half of the
/// rows of `b` for both blocks. A stage is free when all four warpgroups have multiplied it. While the copy engine stores a
/// tile, the stages of the next tile are loaded. Every second tile goes through the columns backwards and reuses data that
/// is still in the L2 cache.
#[gpu_kernel(warpgroups(232, 232, 40), cluster(2), require(async_wgmma, no_spills))]
pub fn gemm_sm90<const TURNED: bool>(
    a: &TensorMap<bf16, HALF, DEPTH, Swizzle128>,
    b: &TensorMap<bf16, BOX, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<bf16, 64, 64, Swizzle128>,
    steps: u32,
    down: u32,
    across: u32,
) {
    let ring = shared!(Pipeline<Step, STAGES, 2, 2>);
    let out = shared!(Stages<bf16, 64, 64, 4, Swizzle128>);
    let rank = cluster_block_rank();
    let (first, apart) = (block_idx().x / 2, grid_dim().x as usize / 2);
    let group = warpgroup_id() as usize;
    if group == 2 {
        registers::<40>();
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            let mut back = false;
            for tile in (first..down * across).step_by(apart) {
                let [row, col] = tile_at(tile, down, across);
                let (row, col) = (row + rank * HALF as u32, col + rank * HALF as u32);
                for s in 0..steps {
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    let slot = load.acquire();
                    slot.load(slot.tiles().rows, a, [row, k]);
                    #[unroll]
                    for part in 0..HALF / BOX {
                        let to = slot.tiles().cols.rows::<BOX>(rank as usize * HALF + part * BOX);
                        let n = col + (part * BOX) as u32;
                        slot.load_multicast(to, b, if TURNED { [k, n] } else { [n, k] }, 0b11);
                    }
                    load.commit(slot);
                }
                back = !back;
            }
        }
    } else {
        registers::<232>();
        let place = thread_idx().x % 128;
        let mut math = ring.consumer();
        for tile in (first..down * across).step_by(apart) {
            let mut sums = Accumulator::<f32, COLS>::zero();
            let mut chain = sums.chain();
            for _ in 0..steps {
                let stage = math.wait();
                let (rows, cols) = (stage.tiles().rows.rows(group * 64), stage.tiles().cols);
                if TURNED {
                    chain.start_ab(rows, cols.side_by_side::<DEPTH, COLS>(), true);
                } else {
                    chain.start_abt(rows, cols, true);
                }
                math.release_behind(&mut chain, stage);
            }
            math.finish(chain);
            let [row, col] = tile_at(tile, down, across);
            #[unroll]
            for part in 0..4usize {
                let staged = out.tile(group * 2 + part % 2);
                // The store before the last no longer reads its tile.
                if place == 0 {
                    bulk_wait_read::<1>();
                }
                named_barrier_sync(1 + group as u32, 128);
                sums.store_tile(staged, part * 64, |sum| sum.cast::<bf16>());
                fence_proxy_async();
                named_barrier_sync(1 + group as u32, 128);
                if place == 0 {
                    let of_group = rank * HALF as u32 + group as u32 * 64;
                    tma_store(c, [row + of_group, col + part as u32 * 64], staged);
                    bulk_commit();
                }
            }
        }
        if place == 0 {
            bulk_wait_read::<0>();
        }
    }
    // No block ends while the other may arrive at its barriers.
    cluster_sync();
}
