//! Products by warpgroups, which multiply tiles where they lie in shared memory: compute capability 9.0.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, HalfElement, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};

/// Rows of `c` that a cluster of two blocks computes: 64 by each of the two warpgroups of each block.
pub const ROWS: usize = 256;
/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;
/// Stages of the ring.
pub const STAGES: usize = 4;
/// Rows of `c` that a block computes.
pub const HALF: usize = 128;
/// Rows of `b` that are loaded at a time, and rows and columns of `c` that are stored at a time.
pub const BOX: usize = 64;

/// Elements of shared memory of a block, for this number of columns.
pub const fn shared(cols: usize) -> usize {
    STAGES * (HALF + cols) * DEPTH + 4 * BOX * BOX
}

/// The tiles that a block loads in one step: rows of `a` for itself, and half of the columns for both blocks.
#[derive(Stage)]
struct Step<'a, T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static, const COLS: usize> {
    rows: Tile<'a, T, HALF, DEPTH, Swizzle128>,
    cols: Tile<'a, T, COLS, DEPTH, Swizzle128>,
}

/// `c = a * b`; `a`: `[m, k]`, `b`: `[n, k]`, or `[k, n]` if `B_BESIDE`, `c`: `[m, n]`, of any size. `PLAIN`: sums are stored as they are;
/// otherwise they are finished as `how` says, whose `beta` is zero.
///
/// The grid has an even number of blocks, at most one for each multiprocessor. A cluster of two computes every `grid / 2`-th tile
/// of [`ROWS`] × `COLS`. One thread of each block fills the pipeline with the block's rows of `a`, and with one half of the rows of `b`
/// for both blocks. A stage is free when all four warpgroups have multiplied it. While the copy engine stores a tile, the stages
/// of the next tile are loaded. Every second tile goes through the columns backwards and reuses data that is still in the L2
/// cache.
#[gpu_kernel(warpgroups(232, 232, 40), cluster(2), require(async_wgmma))]
pub fn gemm_warpgroups<
    T: MappedElement + HalfElement + WgmmaElement<Sum = f32> + Num + DeviceType<Erased = T>,
    E: Epilogue,
    const B_BESIDE: bool,
    const COLS: usize,
    const PLAIN: bool,
>(
    a: &TensorMap<T, HALF, DEPTH, Swizzle128>,
    b: &TensorMap<T, BOX, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<T, BOX, BOX, Swizzle128>,
    bias: &[T],
    residual: &[T],
    shape: Shape,
    how: Finish,
    epilogue: E,
) {
    let ring = shared!(Pipeline<Step<T, COLS>, STAGES, 2, 2>);
    let out = shared!(Stages<T, BOX, BOX, 4, Swizzle128>);
    let rank = cluster_block_rank() as usize;
    let (first, apart) = (block_idx().x / 2, grid_dim().x as usize / 2);
    let [down, across] = tiles_of::<ROWS, COLS>(shape.m, shape.n);
    let tiles = down * across;
    let steps = shape.k.div_ceil(DEPTH) as u32;
    let group = warpgroup_id() as usize;
    if group == 2 {
        registers::<40>();
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            let mut back = false;
            for tile in (first..tiles).step_by(apart) {
                let Place { row, col, .. } = place_of::<ROWS, COLS>(tile, [down, across]);
                // 32 bits each: the thread has 40 registers.
                let (row, col) = ((row + rank * HALF) as u32, (col + rank * (COLS / 2)) as u32);
                for s in 0..steps {
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    let slot = load.acquire();
                    slot.load(slot.tiles().rows, a, [row, k]);
                    #[unroll]
                    for part in 0..COLS / 2 / BOX {
                        let to = slot.tiles().cols.rows::<BOX>(rank * (COLS / 2) + part * BOX);
                        let n = col + (part * BOX) as u32;
                        slot.load_multicast(to, b, if B_BESIDE { [k, n] } else { [n, k] }, 0b11);
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
        for tile in (first..tiles).step_by(apart) {
            let mut sums = Accumulator::<f32, COLS>::zero();
            let mut chain = sums.chain();
            for _ in 0..steps {
                let stage = math.wait();
                let (rows, cols) = (stage.tiles().rows.rows(group * 64), stage.tiles().cols);
                if B_BESIDE {
                    chain.start_ab(rows, cols.side_by_side::<DEPTH, COLS>(), true);
                } else {
                    chain.start_abt(rows, cols, true);
                }
                math.release_behind(&mut chain, stage);
            }
            math.finish(chain);
            let Place { row, col, .. } = place_of::<ROWS, COLS>(tile, [down, across]);
            let row = row + rank * HALF + group * 64;
            let finisher = Finisher::new(how, bias, residual, epilogue, 0);
            #[unroll]
            for part in 0..COLS / BOX {
                let staged = out.tile(group * 2 + part % 2);
                // The store before the last no longer reads its tile.
                if place == 0 {
                    bulk_wait_read::<1>();
                }
                named_barrier_sync(1 + group as u32, 128);
                if !PLAIN {
                    sums.map_columns::<BOX, _>(part * BOX, |r, c, sum| {
                        finisher.inside(sum, row + r, col + c, shape.m, shape.n)
                    });
                }
                sums.store_tile(staged, part * BOX, |sum| sum.cast::<T>());
                fence_proxy_async();
                named_barrier_sync(1 + group as u32, 128);
                if place == 0 {
                    tma_store(c, [row as u32, (col + part * BOX) as u32], staged);
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
