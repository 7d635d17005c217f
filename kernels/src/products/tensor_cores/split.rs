//! Products whose tiles are shared by two blocks, each of which adds up one half of the steps: compute capability 9.0.
//!
//! A product with few rows and columns has fewer tiles than the device has multiprocessors.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::Shape;
use super::partials::{place_of_partial, store_element, store_partial, sum_of_four};
use super::warpgroups::{DEPTH, Step, THREADS, place_of_group};

/// Blocks of a cluster, which share a tile.
pub const PARTS: u32 = 2;

/// `c = a * b`, finished as `how` says; `a`: `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// A cluster of [`PARTS`] blocks has a tile of `ROWS` × `COLS`, those below each other first. Two warpgroups of each block multiply 64
/// rows by `OWN` columns each: with 128 rows, those below each other, and with 64 rows, those side by side. Each block stores its sums in
/// `partials`, and then adds up every [`PARTS`]-th eight columns of the tile, in the order of the blocks. If `streams`, the L2 cache
/// drops `b` first.
#[gpu_kernel(launch_bounds(THREADS, 1), require(async_wgmma))]
pub fn gemm_split<
    T: MappedElement + WgmmaElement<Sum = f32> + Num + DeviceType<Erased = T>,
    E: Epilogue,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const STAGES: usize,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<T, COLS, DEPTH, Swizzle128>,
    c: &mut [T],
    bias: &[T],
    residual: &[T],
    partials: &mut [F32x4],
    shape: Shape,
    how: Finish,
    epilogue: E,
    #[comptime] streams: bool,
) {
    let ring = shared!(Pipeline<Step<T, ROWS, COLS>, STAGES, 2>);
    grid_dependency_wait();
    launch_dependents();
    let (rank, tile) = (cluster_block_rank(), block_idx().x / PARTS);
    let down = shape.m.div_ceil(ROWS) as u32;
    let (row, col) = (tile % down * ROWS as u32, tile / down * COLS as u32);
    let steps = shape.k.div_ceil(DEPTH) as u32;
    let (start, end) = (steps * rank / PARTS, steps * (rank + 1) / PARTS);
    let group = warpgroup_id();
    if group == 2 {
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            for s in start..end {
                let slot = load.acquire();
                let k = s * DEPTH as u32;
                if streams {
                    slot.load_hint(slot.tiles().rows, a, [row, k], CachePolicy::evict_last());
                    slot.load_hint(slot.tiles().cols, b, [col, k], CachePolicy::evict_first());
                } else {
                    slot.load(slot.tiles().rows, a, [row, k]);
                    slot.load(slot.tiles().cols, b, [col, k]);
                }
                load.commit(slot);
            }
        }
    } else {
        let (down, right) = place_of_group::<ROWS, OWN>(group as usize);
        let mut math = ring.consumer();
        let mut sums = Accumulator::<f32, OWN>::zero();
        let mut chain = sums.chain();
        for _ in start..end {
            let stage = math.wait();
            chain.start_abt(stage.tiles().rows.rows(down), stage.tiles().cols.rows::<OWN>(right), true);
            math.release_behind(&mut chain, stage);
        }
        math.finish(chain);
        store_partial::<OWN>(&sums, partials, place_of_partial::<OWN>(block_idx().x, group));
    }
    cluster_sync();
    if group < 2 {
        let (down, right) = place_of_group::<ROWS, OWN>(group as usize);
        let (r, line) = Accumulator::<f32, OWN>::at(0);
        let (row, col) = (row as usize + down + r, col as usize + right + line);
        let finisher = Finisher::new(how, bias, residual, epilogue, 0);
        for i in (rank as usize..OWN / 8).step_by(PARTS as usize) {
            let four = sum_of_four::<OWN>(partials, tile * PARTS, PARTS, group, i);
            #[unroll]
            for e in 0..4usize {
                let (row, col) = (row + e / 2 * 8, col + i * 8 + e % 2);
                if row < shape.m && col < shape.n {
                    store_element::<T, E>(c, finisher, four[e], row, col);
                }
            }
        }
    }
}
