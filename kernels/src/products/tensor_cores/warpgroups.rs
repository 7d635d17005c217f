//! Products by warpgroups, which multiply tiles where they lie in shared memory: compute capability 9.0.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Chain, HalfElement, Swizzle128};
use warpsmith::tensor_map::{BoxLayout, MappedElement};
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};

/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;
/// Rows of `c` that a warpgroup computes, and stores at a time.
pub const GROUP: usize = 64;
/// Places for parts of `c` on their way to memory: two for each warpgroup.
const PLACES: usize = 4;

/// Bytes of shared memory that stages may take, for parts of `c` of `out` columns; barriers take less than 1 KiB.
const fn left(out: usize) -> usize {
    232_448 - 2048 - PLACES * GROUP * out * 2
}

/// Stages of the ring of a block with these rows and columns: as many as fit. `out` is zero if no parts of `c` are stored from shared
/// memory.
pub const fn stages(rows: usize, cols: usize, out: usize) -> usize {
    left(out) / ((rows + cols) * DEPTH * 2)
}

/// Bytes of shared memory of a block.
pub const fn shared(rows: usize, cols: usize, out: usize) -> usize {
    stages(rows, cols, out) * (rows + cols) * DEPTH * 2 + PLACES * GROUP * out * 2
}

/// The tiles of a step: rows of `a` and columns of `b`.
#[derive(Stage)]
pub(super) struct Step<
    'a,
    T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static,
    const ROWS: usize,
    const COLS: usize,
> {
    pub(super) rows: Tile<'a, T, ROWS, DEPTH, Swizzle128>,
    pub(super) cols: Tile<'a, T, COLS, DEPTH, Swizzle128>,
}

/// The order of the elements of `b`: which of them lie side by side.
#[gpu_trait]
pub trait Order: 'static {
    /// Whether those of a row do, and not those of a column.
    const BESIDE: bool;

    /// Starts the product of rows of `a` and columns of `b` as they lie in a stage.
    fn start<T: WgmmaElement<Sum = f32> + HalfElement, const COLS: usize>(
        chain: &mut Chain<f32, COLS>,
        rows: Tile<T, GROUP, DEPTH, Swizzle128>,
        cols: Tile<T, COLS, DEPTH, Swizzle128>,
    );
}

/// `b` with the elements of each column side by side.
pub struct Lines;

/// `b` with the elements of each row side by side.
pub struct Beside;

#[gpu_impl]
impl Order for Lines {
    const BESIDE: bool = false;

    fn start<T: WgmmaElement<Sum = f32> + HalfElement, const COLS: usize>(
        chain: &mut Chain<f32, COLS>,
        rows: Tile<T, GROUP, DEPTH, Swizzle128>,
        cols: Tile<T, COLS, DEPTH, Swizzle128>,
    ) {
        chain.start_abt(rows, cols, true);
    }
}

#[gpu_impl]
impl Order for Beside {
    const BESIDE: bool = true;

    fn start<T: WgmmaElement<Sum = f32> + HalfElement, const COLS: usize>(
        chain: &mut Chain<f32, COLS>,
        rows: Tile<T, GROUP, DEPTH, Swizzle128>,
        cols: Tile<T, COLS, DEPTH, Swizzle128>,
    ) {
        chain.start_ab(rows, cols.side_by_side::<DEPTH, COLS>(), true);
    }
}

/// `c = a * b`; `a`: `[m, k]`, `b`: `[n, k]`, or `[k, n]` with [`Beside`], `c`: `[m, n]`, of any size. If `is_plain`, sums are stored as they are;
/// otherwise they are finished as `how` says, whose `beta` is zero.
///
/// A block computes tiles of `ROWS` × `COLS`. Its two warpgroups multiply [`GROUP`] rows by `OWN` columns each: with 128 rows, those below
/// each other, and with 64 rows, those side by side. The tiles of a cluster of `BLOCKS` blocks lie below each other and share the columns
/// of `b`, of which each block loads a part for all of them, in boxes of `PART` rows. A cluster computes every `grid / BLOCKS`-th group
/// of tiles. One thread of each block fills the pipeline. A stage is free when all warpgroups of the cluster have multiplied it.
/// While the copy engine stores a tile, in parts of `OUT` columns, the stages of the next tile are loaded. Every second tile goes through
/// the columns backwards and reuses data that is still in the L2 cache. If `streams`, the L2 cache drops `b` first, as each part of it is read
/// by one block only.
#[gpu_kernel(warpgroups(232, 232, 40), require(async_wgmma))]
pub fn gemm_warpgroups<
    T: MappedElement + HalfElement + WgmmaElement<Sum = f32> + Num + DeviceType<Erased = T>,
    E: Epilogue,
    O: Order,
    L: BoxLayout,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const OUT: usize,
    const PART: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<T, PART, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<T, GROUP, OUT, L>,
    bias: &[T],
    residual: &[T],
    shape: Shape,
    how: Finish,
    epilogue: E,
    #[comptime] is_plain: bool,
    #[comptime] streams: bool,
) {
    let ring = shared!(Pipeline<Step<T, ROWS, COLS>, STAGES, 2, BLOCKS>);
    let out = shared!(Stages<T, GROUP, OUT, PLACES, L>);
    grid_dependency_wait();
    launch_dependents();
    let (rank, blocks) = (if BLOCKS > 1 { cluster_block_rank() as usize } else { 0 }, BLOCKS as usize);
    let (first, apart) = (block_idx().x / BLOCKS, (grid_dim().x / BLOCKS) as usize);
    let extents = [ROWS * blocks, COLS];
    let tiles = tiles_of(shape.m, shape.n, extents);
    let steps = shape.k.div_ceil(DEPTH) as u32;
    let group = warpgroup_id() as usize;
    if group == 2 {
        registers::<40>();
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            let mut back = false;
            let own = COLS / blocks;
            for tile in (first..tiles[0] * tiles[1]).step_by(apart) {
                let Place { row, col, .. } = place_of(tile, tiles, extents);
                // 32 bits each: the thread has 40 registers.
                let (row, col) = ((row + rank * ROWS) as u32, (col + rank * own) as u32);
                for s in 0..steps {
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
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
                back = !back;
            }
        }
    } else {
        registers::<232>();
        let place = thread_idx().x % 128;
        let (down, right) = place_of_group::<ROWS, OWN>(group);
        let mut math = ring.consumer();
        for tile in (first..tiles[0] * tiles[1]).step_by(apart) {
            let mut sums = Accumulator::<f32, OWN>::zero();
            let mut chain = sums.chain();
            for _ in 0..steps {
                let stage = math.wait();
                let (rows, cols) = (stage.tiles().rows.rows(down), stage.tiles().cols.rows::<OWN>(right));
                O::start(&mut chain, rows, cols);
                math.release_behind(&mut chain, stage);
            }
            math.finish(chain);
            let Place { row, col, .. } = place_of(tile, tiles, extents);
            let (row, col) = (row + rank * ROWS + down, col + right);
            let finisher = Finisher::new(how, bias, residual, epilogue, 0);
            #[unroll]
            for part in 0..OWN / OUT {
                let staged = out.tile(group * 2 + part % 2);
                // The store before the last no longer reads its tile; nor does the last one, if it is of the first part of a tile too.
                if place == 0 {
                    if part == 0 && OWN / OUT % 2 == 1 {
                        bulk_wait_read::<0>();
                    } else {
                        bulk_wait_read::<1>();
                    }
                }
                named_barrier_sync(1 + group as u32, 128);
                if !is_plain {
                    sums.map_columns::<OUT, _>(part * OUT, |r, c, sum| {
                        finisher.inside(sum, row + r, col + c, shape.m, shape.n)
                    });
                }
                sums.store_tile(staged, part * OUT, |sum| sum.cast::<T>());
                fence_proxy_async();
                named_barrier_sync(1 + group as u32, 128);
                if place == 0 {
                    tma_store(c, [row as u32, (col + part * OUT) as u32], staged);
                    bulk_commit();
                }
            }
        }
        if place == 0 {
            bulk_wait_read::<0>();
        }
    }
    if BLOCKS > 1 {
        // No block ends while another may arrive at its barriers.
        cluster_sync();
    }
}

/// The first row and column of a warpgroup in its block's tile.
#[gpu_fn]
pub(super) fn place_of_group<const ROWS: usize, const OWN: usize>(group: usize) -> (usize, usize) {
    if ROWS == GROUP { (0, group * OWN) } else { (group * GROUP, 0) }
}
