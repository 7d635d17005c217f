//! Products with few rows, whose blocks each take an equal share of all steps ("stream-K"): compute capability 9.0.
//!
//! A product with few rows reads far more of `b` than it multiplies, so its time is that of reading `b`, and there are few tiles. Each
//! block takes an equal part of the steps of all tiles. Its copies go on while it finishes a tile, and so keep the memory busy.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::Shape;
use super::partials::{add_partial, place_of_partial, store_element, store_partial, sum_of_four};
use super::warpgroups::{self, DEPTH};

/// Columns of `b` that a warpgroup multiplies.
pub const GROUP: usize = 64;
/// Warpgroups of a block that multiply.
pub const GROUPS: u32 = 2;
/// Columns of a tile of `c`.
pub const LINES: usize = GROUP * GROUPS as usize;
/// Threads of a block: warpgroups that multiply, and one that starts copies of tiles.
pub const THREADS: u32 = 128 * (GROUPS + 1);

/// Stages of the ring: as many as fit into shared memory, beside its barriers.
pub const fn stages(rows: usize) -> usize {
    warpgroups::stages(rows, LINES, 0)
}

/// Bytes of shared memory of a block.
pub const fn shared(rows: usize) -> usize {
    warpgroups::shared(rows, LINES, 0)
}

/// Quads of sums of a tile.
pub const fn quads(rows: usize) -> usize {
    rows * LINES / 4
}

/// The steps of all tiles, which the blocks share.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Shares {
    /// Steps of a tile.
    pub steps: u32,
    /// Steps of a block.
    pub each: u32,
    /// Number of blocks that have one more; they are the first.
    pub more: u32,
}

#[gpu_impl]
impl Shares {
    /// The first step of a block.
    pub fn start(self, block: u32) -> u32 {
        block * self.each + block.min(self.more)
    }

    /// The block that has a step.
    pub fn block_of(self, step: u32) -> u32 {
        let of_larger = self.more * (self.each + 1);
        if step < of_larger { step / (self.each + 1) } else { self.more + (step - of_larger) / self.each }
    }
}

/// The tiles of a step: columns of `b`, and rows of `a`.
#[derive(Stage)]
struct Step<'a, T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static, const ROWS: usize> {
    lines: Tile<'a, T, LINES, DEPTH, Swizzle128>,
    rows: Tile<'a, T, ROWS, DEPTH, Swizzle128>,
}

/// `c = a * b`, finished as `how` says; `a`: `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// Tiles of `c` have `ROWS` × [`LINES`] elements; tiles below each other follow each other. The columns of `b` are the left operand, of which
/// each warpgroup multiplies [`GROUP`], and the rows of `a` the right one. A block that does not have all steps of a tile stores its sums in
/// `partials`. With `in_clusters`, the blocks of a cluster share the steps of a tile, and each adds up a part of the sums. Otherwise the
/// last block of a tile does so, and `arrived` has a counter for each [`GROUP`] columns, which is zero before and after. Sums are added in
/// the order of the blocks.
#[gpu_kernel(launch_bounds(THREADS, 1), require(async_wgmma))]
pub fn gemm_stream_k<
    T: MappedElement + WgmmaElement<Sum = f32> + Num + DeviceType<Erased = T>,
    E: Epilogue,
    const ROWS: usize,
    const STAGES: usize,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<T, LINES, DEPTH, Swizzle128>,
    c: &mut [T],
    bias: &[T],
    residual: &[T],
    partials: &mut [F32x4],
    arrived: &mut [u32],
    shape: Shape,
    how: Finish,
    shares: Shares,
    epilogue: E,
    #[comptime] in_clusters: bool,
) {
    let ring = shared!(Pipeline<Step<T, ROWS>, STAGES, GROUPS>);
    let mut is_last = shared!([u32; GROUPS]);
    grid_dependency_wait();
    launch_dependents();
    let (block, down) = (block_idx().x, shape.m.div_ceil(ROWS) as u32);
    let (rank, parts) = if in_clusters { (cluster_block_rank(), cluster_size()) } else { (0, 1) };
    let own = block / parts;
    let (start, end) = if in_clusters {
        (
            own * shares.steps + shares.steps * rank / parts,
            own * shares.steps + shares.steps * (rank + 1) / parts,
        )
    } else {
        (shares.start(block), shares.start(block + 1))
    };
    let group = warpgroup_id();
    if group == GROUPS {
        if thread_idx().x == GROUPS * 128 {
            let mut load = ring.producer();
            let mut at = start;
            while at < end {
                let (tile, first) = (at / shares.steps, at % shares.steps);
                let (row, col) = (tile % down * ROWS as u32, tile / down * LINES as u32);
                let count = (shares.steps - first).min(end - at);
                for s in first..first + count {
                    let slot = load.acquire();
                    let k = s * DEPTH as u32;
                    slot.load_hint(slot.tiles().lines, b, [col, k], CachePolicy::evict_first());
                    slot.load_hint(slot.tiles().rows, a, [row, k], CachePolicy::evict_last());
                    load.commit(slot);
                }
                at += count;
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut at = start;
        let lines = group as usize * GROUP;
        let finisher = Finisher::new(how, bias, residual, epilogue, 0);
        while at < end {
            let (tile, first) = (at / shares.steps, at % shares.steps);
            let count = (shares.steps - first).min(end - at);
            let mut sums = Accumulator::<f32, ROWS>::zero();
            let mut chain = sums.chain();
            for _ in 0..count {
                let stage = math.wait();
                chain.start_abt(stage.tiles().lines.rows(lines), stage.tiles().rows, true);
                // Each stage is given back at once, to be filled.
                chain.wait::<0>();
                math.release(stage);
            }
            math.finish(chain);
            at += count;
            let mut has_all = true;
            if in_clusters && parts > 1 {
                has_all = false;
                store_partial::<ROWS>(&sums, partials, place_of_partial::<ROWS>(block, group));
            } else if !in_clusters && count < shares.steps {
                let blocks = [
                    shares.block_of(tile * shares.steps),
                    shares.block_of(tile * shares.steps + (shares.steps - 1)),
                ];
                let place = place_of_partial::<ROWS>(2 * block + (first == 0) as u32, group);
                store_partial::<ROWS>(&sums, partials, place);
                let flag = is_last.as_mut_ptr().wrapping_add(group as usize);
                has_all = is_last_of_tile(&mut arrived[tile * GROUPS + group], flag, blocks);
                if has_all {
                    sums = Accumulator::<f32, ROWS>::zero();
                    for from in blocks[0]..=blocks[1] {
                        let slot = 2 * from + (from == blocks[0]) as u32;
                        let place = place_of_partial::<ROWS>(slot, group);
                        add_partial::<ROWS>(&mut sums, partials, place);
                    }
                }
            }
            if has_all {
                let (row, col) = ((tile % down) as usize * ROWS, (tile / down) as usize * LINES + lines);
                sums.for_each(|line, r, sum| {
                    if row + r < shape.m && col + line < shape.n {
                        store_element::<T, E>(c, finisher, sum, row + r, col + line);
                    }
                });
            }
        }
    }
    if in_clusters && parts > 1 {
        // The sums of all blocks of the cluster are there; each adds up and finishes a part of them.
        cluster_sync();
        if group < GROUPS {
            let (line, r) = Accumulator::<f32, ROWS>::at(0);
            let row = (own % down) as usize * ROWS + r;
            let col = (own / down) as usize * LINES + group as usize * GROUP + line;
            let finisher = Finisher::new(how, bias, residual, epilogue, 0);
            for i in (rank as usize..ROWS / 8).step_by(parts as usize) {
                let four = sum_of_four::<ROWS>(partials, own * parts, parts, group, i);
                #[unroll]
                for e in 0..4usize {
                    let (r, line) = (row + i * 8 + e % 2, col + e / 2 * 8);
                    if r < shape.m && line < shape.n {
                        store_element::<T, E>(c, finisher, four[e], r, line);
                    }
                }
            }
        }
    }
}

/// Whether the calling warpgroup is the last of those of `blocks`, the first and the last one, to have stored its sums of a tile.
///
/// `is_last` is a place in shared memory. It is no reference: one thread writes it, and the others read it.
#[gpu_fn]
fn is_last_of_tile(arrived: &mut u32, is_last: *mut u32, blocks: [u32; 2]) -> bool {
    let (barrier, thread) = (1 + warpgroup_id(), thread_idx().x % 128);
    named_barrier_sync(barrier, 128);
    if thread == 0 {
        let others = blocks[1] - blocks[0];
        let is_last_one = atomic(arrived).fetch_inc(others, Ordering::AcqRel) == others;
        unsafe { *is_last = is_last_one as u32 };
    }
    named_barrier_sync(barrier, 128);
    uniform(unsafe { *is_last }) == 1
}
