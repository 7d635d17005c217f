//! Products with few rows, whose blocks each take an equal share of all steps ("stream-K"): compute capability 9.0.
//!
//! A product with few rows reads far more of `b` than it multiplies, so its time is that of reading `b`, and there are few tiles. Each
//! block takes an equal part of the steps of all tiles. Its copies go on while it finishes a tile, and so keep the memory busy.

use warpsmith::pipeline::{Consumer, Producer};
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::scales::{BY_BLOCK, Factors, ScaleStrides};
use super::super::shape::Shape;
use super::element::{Multiplied, Stored, Total};
use super::partials::{add_partial, place_of_partial, store_partial, sum_of_four};
use super::target::Target;
use super::warpgroups;

/// Columns of `b` that a warpgroup multiplies.
pub const GROUP: usize = 64;
/// Warpgroups of a block that multiply.
pub const GROUPS: u32 = 2;
/// Columns of a tile of `c`.
pub const LINES: usize = GROUP * GROUPS as usize;
/// Threads of a block: warpgroups that multiply, and one that starts copies of tiles.
pub const THREADS: u32 = 128 * (GROUPS + 1);

/// The most rows of a tile whose steps are scaled: a thread has the products of a step beside its sums, and the factors of their rows.
pub const MOST_SCALED: usize = 64;

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
struct Step<'a, T: Multiplied, const UNIT: usize, const DEPTH: usize, const ROWS: usize> {
    lines: Tile<'a, T, LINES, DEPTH, Swizzle128<UNIT>>,
    rows: Tile<'a, T, ROWS, DEPTH, Swizzle128<UNIT>>,
}

/// Steps of one tile, side by side.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Run {
    tile: u32,
    first: u32,
    count: u32,
}

/// The steps from number `at` on, up to `end` or up to the last one of their tile.
#[gpu_fn]
fn run_from(at: u32, end: u32, steps: u32) -> Run {
    let first = at % steps;
    Run { tile: at / steps, first, count: (steps - first).min(end - at) }
}

/// `c = a * b`, finished as `how` says; `a`: `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// Tiles of `c` have `ROWS` × [`LINES`] elements; tiles below each other follow each other. The columns of `b` are the left operand, of
/// which each warpgroup multiplies [`GROUP`], and the rows of `a` the right one. A block that does not have all steps of a tile stores
/// its sums in `partials`. With `in_clusters`, the blocks of a cluster share the steps of a tile, and each adds up a part of the sums.
/// Otherwise the last block of a tile does so, and `arrived` has a counter for each [`GROUP`] columns, which is zero before and after.
/// Sums are added in the order of the blocks. `scaling` says which factors there are.
#[gpu_kernel(launch_bounds(THREADS, 1), require(async_wgmma))]
pub fn gemm_stream_k<
    T: Multiplied,
    C: Stored,
    E: Epilogue,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const STAGES: usize,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128<UNIT>>,
    b: &TensorMap<T, LINES, DEPTH, Swizzle128<UNIT>>,
    c: &mut [C],
    bias: &[C],
    residual: &[C],
    a_scales: &[f32],
    b_scales: &[f32],
    partials: &mut [F32x4],
    arrived: &mut [u32],
    shape: Shape,
    how: Finish,
    strides: ScaleStrides,
    shares: Shares,
    epilogue: E,
    #[comptime] in_clusters: bool,
    #[comptime] scaling: u32,
) {
    let ring = shared!(Pipeline<Step<T, UNIT, DEPTH, ROWS>, STAGES, GROUPS>);
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
    let factors = Factors::new(a_scales, b_scales, strides, shape.m, shape.n);
    let finisher = Finisher::new(how, bias, residual, epilogue, 0);
    let target = Target::new(finisher, factors, scaling, shape);
    if group == GROUPS {
        if thread_idx().x == GROUPS * 128 {
            let mut load = ring.producer();
            let mut at = start;
            while at < end {
                let run = run_from(at, end, shares.steps);
                load_run::<T, UNIT, DEPTH, ROWS, STAGES>(&mut load, a, b, run, down);
                at += run.count;
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut at = start;
        // The remainder tells compilers which columns there may be.
        let lines = (group % GROUPS) as usize * GROUP;
        while at < end {
            let run = run_from(at, end, shares.steps);
            let mut sums = Accumulator::<T::Total, ROWS>::zero();
            if scaling == BY_BLOCK {
                add_scaled_run::<T, UNIT, DEPTH, ROWS, STAGES>(
                    &mut math, &mut sums, factors, down, lines, run,
                );
            } else {
                add_run::<T, UNIT, DEPTH, ROWS, STAGES>(&mut math, &mut sums, lines, run.count);
            }
            at += run.count;
            let mut has_all = true;
            if in_clusters && parts > 1 {
                has_all = false;
                store_partial::<T::Total, ROWS>(&sums, partials, place_of_partial::<ROWS>(block, group));
            } else if !in_clusters && run.count < shares.steps {
                let flag = is_last.as_mut_ptr().wrapping_add(group as usize);
                let counter = &mut arrived[run.tile * GROUPS + group];
                has_all = share_sums::<T::Total, ROWS>(&mut sums, partials, counter, flag, shares, run);
            }
            if has_all {
                let (row, col) =
                    ((run.tile % down) as usize * ROWS, (run.tile / down) as usize * LINES + lines);
                sums.for_each(|line, r, sum| target.store::<T::Total>(c, sum, row + r, col + line));
            }
        }
    }
    if in_clusters && parts > 1 {
        // The sums of all blocks of the cluster are there; each adds up and finishes a part of them.
        cluster_sync();
        if group < GROUPS {
            let (line, r) = Accumulator::<T::Total, ROWS>::at(0);
            let row = (own % down) as usize * ROWS + r;
            let col = (own / down) as usize * LINES + group as usize * GROUP + line;
            for i in (rank as usize..ROWS / 8).step_by(parts as usize) {
                let four = sum_of_four::<T::Total, ROWS>(partials, own * parts, parts, group, i);
                #[unroll]
                for e in 0..4usize {
                    target.store::<T::Total>(c, four[e], row + i * 8 + e % 2, col + e / 2 * 8);
                }
            }
        }
    }
}

/// Starts the copies of a run's steps.
#[gpu_fn]
fn load_run<
    'r,
    T: Multiplied,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const STAGES: usize,
>(
    load: &mut Producer<'r, Step<'r, T, UNIT, DEPTH, ROWS>, STAGES, GROUPS, 1>,
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128<UNIT>>,
    b: &TensorMap<T, LINES, DEPTH, Swizzle128<UNIT>>,
    run: Run,
    down: u32,
) {
    let (row, col) = (run.tile % down * ROWS as u32, run.tile / down * LINES as u32);
    for s in run.first..run.first + run.count {
        let slot = load.acquire();
        let k = s * DEPTH as u32;
        slot.load_hint(slot.tiles().lines, b, [col, k], CachePolicy::evict_first());
        slot.load_hint(slot.tiles().rows, a, [row, k], CachePolicy::evict_last());
        load.commit(slot);
    }
}

/// Adds the products of `count` steps, of the columns from `lines` on.
#[gpu_fn]
fn add_run<
    'r,
    T: Multiplied,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const STAGES: usize,
>(
    math: &mut Consumer<'r, Step<'r, T, UNIT, DEPTH, ROWS>, STAGES, GROUPS, 1>,
    sums: &mut Accumulator<T::Total, ROWS>,
    lines: usize,
    count: u32,
) {
    let mut chain = sums.chain();
    for _ in 0..count {
        let stage = math.wait();
        chain.start_abt(stage.tiles().lines.rows(lines), stage.tiles().rows, true);
        // Each stage is given back at once, to be filled.
        chain.wait::<0>();
        math.release(stage);
    }
    math.finish(chain);
}

/// The same for products with block factors. `down` tiles lie below each other.
#[gpu_fn]
fn add_scaled_run<
    'r,
    T: Multiplied,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const STAGES: usize,
>(
    math: &mut Consumer<'r, Step<'r, T, UNIT, DEPTH, ROWS>, STAGES, GROUPS, 1>,
    sums: &mut Accumulator<T::Total, ROWS>,
    factors: Factors,
    down: u32,
    lines: usize,
    run: Run,
) {
    let row = (run.tile % down) as usize * ROWS + Accumulator::<T::Total, ROWS>::at(0).1;
    let col = (run.tile / down) as usize * LINES;
    let mut products = Accumulator::<T::Total, ROWS>::zero();
    let last = run.first + run.count - 1;
    let mut next = ahead::<ROWS>(factors, row, col, run.first);
    for s in run.first..run.first + run.count {
        let Ahead { of_rows, of_cols } = next;
        let stage = math.wait();
        let mut chain = products.chain();
        chain.start_abt(stage.tiles().lines.rows(lines), stage.tiles().rows, false);
        // Those of the next step are loaded while the tensor cores multiply.
        next = ahead::<ROWS>(factors, row, col, (s + 1).min(last));
        chain.finish();
        math.release(stage);
        #[unroll]
        for i in 0..ROWS / 2 {
            let factor = (of_cols * of_rows[i / 4 * 2 + i % 2]).cast::<T::Total>();
            sums.set(i, sums.get(i) + products.get(i) * factor);
        }
    }
}

/// The factors that a thread loads before their step: those of the rows of its sums, and the one of the tile's columns.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Ahead {
    of_rows: [f32; MOST_SCALED / 4],
    of_cols: f32,
}

/// The factors of step `s`, where a thread's rows begin with `row`, and the columns with `col`.
#[gpu_fn]
fn ahead<const ROWS: usize>(factors: Factors, row: usize, col: usize, s: u32) -> Ahead {
    let mut of_rows = [0.0f32; MOST_SCALED / 4];
    #[unroll]
    for i in 0..ROWS / 4 {
        of_rows[i] = factors.of_row_at(row + i / 2 * 8 + i % 2, s);
    }
    Ahead { of_rows, of_cols: factors.of_block_at(col, s) }
}

/// Stores the sums of a run that is a part of its tile. In the last warpgroup of the tile, they become those of all its blocks, and the
/// result is `true`.
#[gpu_fn]
fn share_sums<D: Total, const ROWS: usize>(
    sums: &mut Accumulator<D, ROWS>,
    partials: &mut [F32x4],
    arrived: &mut u32,
    is_last: *mut u32,
    shares: Shares,
    run: Run,
) -> bool {
    let (block, group) = (block_idx().x, warpgroup_id());
    let blocks = [
        shares.block_of(run.tile * shares.steps),
        shares.block_of(run.tile * shares.steps + (shares.steps - 1)),
    ];
    let place = place_of_partial::<ROWS>(2 * block + (run.first == 0) as u32, group);
    store_partial::<D, ROWS>(sums, partials, place);
    let has_all = is_last_of_tile(arrived, is_last, blocks);
    if has_all {
        *sums = Accumulator::<D, ROWS>::zero();
        for from in blocks[0]..=blocks[1] {
            let slot = 2 * from + (from == blocks[0]) as u32;
            let place = place_of_partial::<ROWS>(slot, group);
            add_partial::<D, ROWS>(sums, partials, place);
        }
    }
    has_all
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
