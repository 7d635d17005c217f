//! Products by warpgroups, which multiply tiles where they lie in shared memory: compute capability 9.0.

use std::marker::PhantomData;

use warpsmith::pipeline::{Consumer, Producer};
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Chain, Fragment, HalfElement, Swizzle128};
use warpsmith::tensor_map::{BoxLayout, StoreMap};
use warpsmith::tile::Stages;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::scales::{BLOCK, BY_BLOCK, BlockFactors, Factors, ScaleStrides};
use super::super::shape::{Place, Shape, place_of, tiles_of};
use super::element::{Multiplied, Stored, Total};
use super::target::Target;

/// Bytes of the rows of `a` and the columns of `b` that a stage holds.
pub const DEPTH_BYTES: usize = 128;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;
/// Rows of `c` that a warpgroup computes, and stores at a time.
pub const GROUP: usize = 64;
/// Half of the columns that share a factor: their products are added while those of the other half are made.
const HALF: usize = BLOCK / 2;
/// Places for parts of `c` on their way to memory: two for each warpgroup.
pub(crate) const PLACES: usize = 4;

/// Bytes of shared memory that stages may take, for parts of `c` with rows of `out` bytes; barriers take less than 1 KiB.
const fn left(out: usize) -> usize {
    232_448 - 2048 - PLACES * GROUP * out
}

/// Stages of the ring of a block with these rows and columns: as many as fit. `out` is zero if no parts of `c` are stored from shared
/// memory.
pub const fn stages(rows: usize, cols: usize, out: usize) -> usize {
    left(out) / ((rows + cols) * DEPTH_BYTES)
}

/// Bytes of shared memory of a block.
pub const fn shared(rows: usize, cols: usize, out: usize) -> usize {
    stages(rows, cols, out) * (rows + cols) * DEPTH_BYTES + PLACES * GROUP * out
}

/// The tiles of a step: rows of `a` and columns of `b`.
#[derive(Stage)]
pub(super) struct Step<
    'a,
    T: Multiplied,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
> {
    pub(super) rows: Tile<'a, T, ROWS, DEPTH, Swizzle128<UNIT>>,
    pub(super) cols: Tile<'a, T, COLS, DEPTH, Swizzle128<UNIT>>,
}

/// The order of the elements of `b`: which of them lie side by side.
#[gpu_trait]
pub trait Order: 'static {
    /// The elements.
    type Element: Multiplied;

    /// Whether those of a row do, and not those of a column.
    const BESIDE: bool;

    /// Starts the product of rows of `a` and columns of `b` as they lie in a stage. It is added to the sums, or replaces them.
    fn start<const UNIT: usize, const DEPTH: usize, const COLS: usize>(
        chain: &mut Chain<<Self::Element as Multiplied>::Total, COLS>,
        rows: Tile<Self::Element, GROUP, DEPTH, Swizzle128<UNIT>>,
        cols: Tile<Self::Element, COLS, DEPTH, Swizzle128<UNIT>>,
        keep: bool,
    );
}

/// `b` with the elements of each column side by side.
pub struct Lines<T>(PhantomData<T>);

/// `b` with the elements of each row side by side; they are of 16 bits.
pub struct Beside<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Multiplied> Order for Lines<T> {
    type Element = T;
    const BESIDE: bool = false;

    fn start<const UNIT: usize, const DEPTH: usize, const COLS: usize>(
        chain: &mut Chain<T::Total, COLS>,
        rows: Tile<T, GROUP, DEPTH, Swizzle128<UNIT>>,
        cols: Tile<T, COLS, DEPTH, Swizzle128<UNIT>>,
        keep: bool,
    ) {
        chain.start_abt(rows, cols, keep);
    }
}

#[gpu_impl]
impl<T: Multiplied + HalfElement> Order for Beside<T> {
    type Element = T;
    const BESIDE: bool = true;

    fn start<const UNIT: usize, const DEPTH: usize, const COLS: usize>(
        chain: &mut Chain<T::Total, COLS>,
        rows: Tile<T, GROUP, DEPTH, Swizzle128<UNIT>>,
        cols: Tile<T, COLS, DEPTH, Swizzle128<UNIT>>,
        keep: bool,
    ) {
        chain.start_ab(rows, cols.side_by_side::<DEPTH, COLS>(), keep);
    }
}

/// `c = a * b`; `a`: `[m, k]`, `b`: `[n, k]`, or `[k, n]` with [`Beside`], `c`: `[m, n]`, of any size. If `is_plain`, sums are stored
/// as they are; otherwise they are finished as `how` says, with a bias and a residual if there are some, and without a `beta`.
///
/// A block computes tiles of `ROWS` × `COLS`. Its two warpgroups multiply [`GROUP`] rows by `OWN` columns each: with 128 rows, those below
/// each other, and with 64 rows, those side by side. The tiles of a cluster of `BLOCKS` blocks lie below each other and share the columns
/// of `b`, of which each block loads a part for all of them, in boxes of `PART` rows. A cluster computes every `grid / BLOCKS`-th group
/// of tiles. One thread of each block fills the pipeline. A stage is free when all warpgroups of the cluster have multiplied it.
/// While the copy engine stores a tile, in parts of `OUT` columns, the stages of the next tile are loaded. Every second tile goes through
/// the columns backwards and reuses data that is still in the L2 cache. If `streams`, the L2 cache drops `b` first, as each part of it
/// is read by one block only.
///
/// `scaling` says which factors there are. With [`BY_BLOCK`], those of `DEPTH` elements of a row of `a`, and of as many columns of `b`,
/// scale the products of each step, which the threads add to the sums.
#[gpu_kernel(warpgroups(232, 232, 40), require(async_wgmma))]
pub fn gemm_warpgroups<
    T: Multiplied,
    C: Stored + DeviceType<Erased = C>,
    E: Epilogue,
    O: Order<Element = T>,
    L: BoxLayout,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const OUT: usize,
    const PART: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128<UNIT>>,
    b: &TensorMap<T, PART, DEPTH, Swizzle128<UNIT>>,
    c: &mut TensorMapMut<C, GROUP, OUT, L>,
    bias: &[C],
    residual: &[C],
    a_scales: &[f32],
    b_scales: &[f32],
    shape: Shape,
    how: Finish,
    strides: ScaleStrides,
    epilogue: E,
    #[comptime] is_plain: bool,
    #[comptime] has_bias: bool,
    #[comptime] has_residual: bool,
    #[comptime] scaling: u32,
    #[comptime] streams: bool,
) {
    let ring = shared!(Pipeline<Step<T, UNIT, DEPTH, ROWS, COLS>, STAGES, 2, BLOCKS>);
    let out = shared!(Stages<C, GROUP, OUT, PLACES, L>);
    grid_dependency_wait();
    launch_dependents();
    let rank = if BLOCKS > 1 { cluster_block_rank() as usize } else { 0 };
    let extents = [ROWS * BLOCKS as usize, COLS];
    let (first, apart) = (block_idx().x / BLOCKS, (grid_dim().x / BLOCKS) as usize);
    let (tiles, steps) = (tiles_of(shape.m, shape.n, extents), shape.k.div_ceil(DEPTH) as u32);
    let group = warpgroup_id() as usize;
    if group == 2 {
        registers::<40>();
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            let mut back = false;
            for tile in (first..tiles[0] * tiles[1]).step_by(apart) {
                let Place { row, col, .. } = place_of(tile, tiles, extents);
                // 32 bits each: the thread has 40 registers.
                let (row, col) = ((row + rank * ROWS) as u32, (col + rank * (COLS / BLOCKS as usize)) as u32);
                for s in 0..steps {
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    load_step::<T, O, UNIT, DEPTH, ROWS, COLS, PART, STAGES, BLOCKS>(
                        &mut load,
                        a,
                        b,
                        [row, col, k],
                        rank,
                        streams,
                    );
                }
                back = !back;
            }
        }
    } else {
        registers::<232>();
        let (down, right) = place_of_group::<ROWS, OWN>(group);
        let mut math = ring.consumer();
        let mut back = false;
        let factors = Factors::new(a_scales, b_scales, strides, shape.m, shape.n);
        // If there is a residual, that is asked again for each element: ptxas would load many of them at once, and spill sums.
        let how = how.knowing(has_bias, has_residual && how.has_residual, false);
        let finisher = Finisher::new(how, bias, residual, epilogue, 0);
        let target = Target::new(finisher, factors, scaling, shape);
        for tile in (first..tiles[0] * tiles[1]).step_by(apart) {
            let Place { row, col, .. } = place_of(tile, tiles, extents);
            let (row, col) = (row + rank * ROWS + down, col + right);
            let mut sums = Accumulator::<T::Total, OWN>::zero();
            if scaling == BY_BLOCK {
                let factors = factors.of_blocks(row + Accumulator::<T::Total, OWN>::at(0).0, col);
                add_blocks::<T, O, UNIT, DEPTH, ROWS, COLS, OWN, STAGES, BLOCKS>(
                    &mut math,
                    &mut sums,
                    factors,
                    [down, right],
                    steps,
                    back,
                );
                back = !back;
            } else {
                add_steps::<T, O, UNIT, DEPTH, ROWS, COLS, OWN, STAGES, BLOCKS>(
                    &mut math,
                    &mut sums,
                    [down, right],
                    steps,
                );
            }
            store_sums::<T::Total, C, E, L, OWN, OUT>(c, out, &mut sums, target, [row, col], group, is_plain);
        }
        if is_first_of_group() {
            bulk_wait_read::<0>();
        }
    }
    if BLOCKS > 1 {
        // No block ends while another may arrive at its barriers.
        cluster_sync();
    }
}

/// Starts the copies of a step at (`row`, `k`) of `a` and (`col`, `k`) of `b`, where `col` is the first of those that the block loads.
#[gpu_fn]
pub(super) fn load_step<
    'r,
    T: Multiplied,
    O: Order<Element = T>,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
    const PART: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    load: &mut Producer<'r, Step<'r, T, UNIT, DEPTH, ROWS, COLS>, STAGES, 2, BLOCKS>,
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128<UNIT>>,
    b: &TensorMap<T, PART, DEPTH, Swizzle128<UNIT>>,
    [row, col, k]: [u32; 3],
    rank: usize,
    streams: bool,
) {
    let own = COLS / BLOCKS as usize;
    let slot = load.acquire();
    if streams {
        slot.load_hint(slot.tiles().rows, a, [row, k], CachePolicy::evict_last());
    } else {
        slot.load(slot.tiles().rows, a, [row, k]);
    }
    #[unroll]
    for part in 0..own / PART {
        let to = slot.tiles().cols.rows::<PART>(rank * own + part * PART);
        let n = col + (part * PART) as u32;
        let at = if O::BESIDE { [k, n] } else { [n, k] };
        if BLOCKS > 1 {
            slot.load_multicast(to, b, at, ((1u32 << BLOCKS) - 1) as u16);
        } else if streams {
            slot.load_hint(to, b, at, CachePolicy::evict_first());
        } else {
            slot.load(to, b, at);
        }
    }
    load.commit(slot);
}

/// Adds the products of all steps of a tile.
#[gpu_fn]
pub(super) fn add_steps<
    'r,
    T: Multiplied,
    O: Order<Element = T>,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    math: &mut Consumer<'r, Step<'r, T, UNIT, DEPTH, ROWS, COLS>, STAGES, 2, BLOCKS>,
    sums: &mut Accumulator<T::Total, OWN>,
    [down, right]: [usize; 2],
    steps: u32,
) {
    let mut chain = sums.chain();
    for _ in 0..steps {
        let stage = math.wait();
        let (rows, cols) = (stage.tiles().rows.rows(down), stage.tiles().cols.rows::<OWN>(right));
        O::start(&mut chain, rows, cols, true);
        math.release_behind(&mut chain, stage);
    }
    math.finish(chain);
}

/// Adds the products of all steps of a tile, each of them times its factors. A thread has the products of one block of columns at a time. If
/// `back`, the last columns of `a` come first.
#[gpu_fn]
fn add_blocks<
    'r,
    T: Multiplied,
    O: Order<Element = T>,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    math: &mut Consumer<'r, Step<'r, T, UNIT, DEPTH, ROWS, COLS>, STAGES, 2, BLOCKS>,
    sums: &mut Accumulator<T::Total, OWN>,
    factors: BlockFactors<'r>,
    [down, across]: [usize; 2],
    steps: u32,
    back: bool,
) {
    let mut left = Accumulator::<T::Total, HALF>::zero();
    let mut right = Accumulator::<T::Total, HALF>::zero();
    let last = steps - 1;
    let second = last.min(1);
    let mut ahead = if back {
        [factors.of_step(last), factors.of_step(last - second)]
    } else {
        [factors.of_step(0), factors.of_step(second)]
    };
    for s in 0..steps {
        let of_step = ahead[0];
        let stage = math.wait();
        let (rows, cols) = (stage.tiles().rows.rows(down), stage.tiles().cols);
        #[unroll]
        for block in 0..OWN / BLOCK {
            let of_rows = of_step.of_block(block);
            let mut of_left = left.chain();
            O::start(&mut of_left, rows, cols.rows::<HALF>(across + block * BLOCK), false);
            let mut of_right = right.chain();
            O::start(&mut of_right, rows, cols.rows::<HALF>(across + block * BLOCK + HALF), false);
            if block == 0 {
                // Those of the step after the next are loaded while the tensor cores multiply.
                let then = (s + 2).min(last);
                ahead = [ahead[1], factors.of_step(if back { last - then } else { then })];
            }
            of_left.finish_before::<1>();
            add_scaled::<T::Total, OWN>(sums, &left, block * BLOCK, of_rows);
            of_right.finish();
            add_scaled::<T::Total, OWN>(sums, &right, block * BLOCK + HALF, of_rows);
        }
        math.release(stage);
    }
}

/// Adds products of [`HALF`] columns, times the factors of the thread's rows, to the sums from column `first` on.
#[gpu_fn]
fn add_scaled<D: Total, const OWN: usize>(
    sums: &mut Accumulator<D, OWN>,
    products: &Accumulator<D, HALF>,
    first: usize,
    of_rows: [f32; 2],
) {
    #[unroll]
    for i in 0..HALF / 2 {
        let at = first / 2 + i;
        sums.set(at, sums.get(at) + products.get(i) * of_rows[i / 2 % 2].cast::<D>());
    }
}

/// Stores the elements of a warpgroup's sums, which begin at (`row`, `col`) of `c`, a part after the other. If `is_plain`, they are the
/// sums.
#[gpu_fn]
fn store_sums<D: Total, C: Stored, E: Epilogue, L: BoxLayout, const OWN: usize, const OUT: usize>(
    c: &mut TensorMapMut<C, GROUP, OUT, L>,
    places: Stages<C, GROUP, OUT, PLACES, L>,
    sums: &mut Accumulator<D, OWN>,
    target: Target<C, E>,
    [row, col]: [usize; 2],
    group: usize,
    is_plain: bool,
) {
    let of_rows = target.of_rows(row + Accumulator::<D, OWN>::at(0).0);
    #[unroll]
    for part in 0..OWN / OUT {
        let staged = places.tile(group * 2 + part % 2);
        await_place::<OWN, OUT>(part, group);
        if !is_plain {
            // Of a thread's two rows, the second is eight below the first.
            sums.map_columns::<OUT, _>(part * OUT, |r, c, sum| {
                target.finished::<D>(sum, of_rows[r / 8 % 2], row + r, col + c)
            });
            C::store_tile::<_, _, OWN, OUT, _>(sums, staged, part * OUT, |sum| sum.kept().cast::<C>());
        } else {
            C::store_tile::<_, _, OWN, OUT, _>(sums, staged, part * OUT, |sum| sum.cast::<C>());
        }
        send(c, [row as u32, (col + part * OUT) as u32], staged, group);
    }
}

/// Starts the store of a part that all threads of a warpgroup have written to its place, at these coordinates.
#[gpu_fn]
pub(crate) fn send<
    C: Stored,
    L: BoxLayout,
    M: StoreMap<C, GROUP, OUT, L, RANK>,
    const OUT: usize,
    const RANK: usize,
>(
    c: &mut M,
    at: [u32; RANK],
    staged: Tile<C, GROUP, OUT, L>,
    group: usize,
) {
    fence_proxy_async();
    named_barrier_sync(1 + group as u32, 128);
    if is_first_of_group() {
        tma_store(c, at, staged);
        bulk_commit();
    }
}

/// Whether the calling thread is the first one of its warpgroup.
#[gpu_fn]
pub(crate) fn is_first_of_group() -> bool {
    let place = thread_idx().x % 128;
    place == 0
}

/// Waits until the place of a part of a tile is free: the store before the last no longer reads it; nor does the last one, if it is of the
/// first part of a tile too.
#[gpu_fn]
pub(crate) fn await_place<const OWN: usize, const OUT: usize>(part: usize, group: usize) {
    if is_first_of_group() {
        if part == 0 && OWN / OUT % 2 == 1 {
            bulk_wait_read::<0>();
        } else {
            bulk_wait_read::<1>();
        }
    }
    named_barrier_sync(1 + group as u32, 128);
}

/// The first row and column of a warpgroup in its block's tile. The remainder tells compilers that two warpgroups multiply, so they leave
/// out the assertions of [`Tile::rows`].
#[gpu_fn]
pub(super) fn place_of_group<const ROWS: usize, const OWN: usize>(group: usize) -> (usize, usize) {
    if ROWS == GROUP { (0, group % 2 * OWN) } else { (group % 2 * GROUP, 0) }
}
