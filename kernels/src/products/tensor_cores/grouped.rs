//! Products of groups of rows, each with a right operand of its own. Each block finds the group of a tile by itself.

use warpsmith::pipeline::Consumer;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128, WarpAccumulator};
use warpsmith::tile::Stages;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};
use super::element::{Multiplied, Stored};
use super::grouped_shares::{Count, Division, Part, RUNS, Turns};
use super::warpgroups::{GROUP, Lines, Step, add_steps, load_step, place_of_group};
use super::warps::{Side, THREADS, TILE, lines_of, multiply, place_of_warp};
use crate::pack::Pack;
use crate::segments::{check, first_tile, segment_of, span};

/// Columns of a part of `c` that a warpgroup stores at a time.
pub const OUT: usize = 64;
/// Places for parts of `c` on their way to memory: two for each warpgroup.
const PLACES: usize = 4;

/// Tile `i` of [`TILE`] rows and columns. The tiles of all groups have `shape.m` rows together, and some of these tiles are not there. `rows`
/// are those of all groups.
#[gpu_fn]
fn part_of(i: u32, shape: Shape, offsets: &[u32], rows: u32) -> Part {
    let Place { row, col, .. } = place_of(i, tiles_of(shape.m, shape.n, [TILE; 2]), [1, 1]);
    let (number, col) = (row as u32, col as u32);
    let group = segment_of(offsets, number, TILE as u32);
    let first = first_tile(offsets, group, TILE as u32);
    let [before, count] = span(offsets, group, rows);
    if first <= number {
        Part { group, row: before + (number - first) * TILE as u32, end: before + count, col, is_full: true }
    } else {
        Part { group, row: 0, end: 0, col, is_full: true }
    }
}

/// The finisher of a group's product, whose bias is that of the group.
#[gpu_fn]
fn finisher_of<'a, T: Num + GpuType, E: Epilogue>(
    how: Finish,
    bias: &'a [T],
    epilogue: E,
    group: usize,
    n: usize,
) -> Finisher<'a, T, E> {
    let first = if how.has_bias { group * n } else { 0 };
    Finisher::new(how, &bias[first..], &bias[..0], epilogue, 0)
}

/// `c = a * b` of each group, finished as `how` says; `a`: `[rows, k]`, `b`: `[groups * n, k]`, `c`: `[rows, n]`. `shape` has as many rows as
/// fill all tiles, and `rows` are those of `a`.
///
/// A block computes tiles of `ROWS` × `COLS` as [`gemm_warpgroups`](struct@super::warpgroups::gemm_warpgroups) does, `BLOCKS` of a cluster
/// below each other. If a tile's rows fit one block, both blocks of its cluster have these rows, and `HALF` of the `OWN` columns of each
/// warpgroup. Clusters get shares that take as long as each other. The warpgroup that loads also checks the offsets.
#[gpu_kernel(warpgroups(232, 232, 40), require(async_wgmma, no_spills))]
pub fn grouped_warpgroups<
    T: Multiplied<Total = f32> + Stored + DeviceType<Erased = T>,
    E: Epilogue,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const HALF: usize,
    const PART: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    a: &TensorMap<T, ROWS, 64, Swizzle128>,
    b: &TensorMap<T, PART, 64, Swizzle128>,
    c: &mut [T],
    bias: &[T],
    offsets: &[u32],
    shape: Shape,
    rows: u32,
    how: Finish,
    epilogue: E,
    #[comptime] is_plain: bool,
    #[comptime] has_bias: bool,
) {
    let ring = shared!(Pipeline<Step<T, 8, 64, ROWS, COLS>, STAGES, 2, BLOCKS>);
    let out = shared!(Stages<T, GROUP, OUT, PLACES, Swizzle128>);
    let mut before = shared!([Count; RUNS + 1]);
    // In shared memory: the thread that loads has 40 registers.
    let mut turns = shared!([Turns; 1]);
    grid_dependency_wait();
    launch_dependents();
    let rank = if BLOCKS > 1 { cluster_block_rank() as usize } else { 0 };
    let tile = ROWS as u32 * BLOCKS;
    let half = if BLOCKS > 1 { ROWS as u32 } else { 0 };
    let division = Division {
        groups: offsets.len() as u32 - 1,
        rows,
        tile,
        half,
        across: shape.n.div_ceil(COLS) as u32,
        most: shape.m as u32 / tile,
    };
    division.prepare(offsets, &mut before, &mut turns, BLOCKS);
    let steps = shape.k.div_ceil(64) as u32;
    let group = warpgroup_id() as usize;
    if group == 2 {
        registers::<40>();
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            let mut at = turns[0].first();
            while at < turns[0].end() {
                let part = division.part(offsets, &before, turns[0], at);
                at = turns[0].after(at, part.is_full);
                if part.row < part.end {
                    let is_shared = part.end > part.row + ROWS as u32;
                    let row = part.row + if is_shared { (rank * ROWS) as u32 } else { 0 };
                    let col = part.group * shape.n as u32
                        + part.col * COLS as u32
                        + (rank * (COLS / BLOCKS as usize)) as u32;
                    for s in 0..steps {
                        load_step::<T, Lines<T>, 8, 64, ROWS, COLS, PART, STAGES, BLOCKS>(
                            &mut load,
                            a,
                            b,
                            [row, col, s * 64],
                            rank,
                            false,
                        );
                    }
                }
            }
        }
        check(offsets, rows);
    } else {
        registers::<232>();
        let (down, right) = place_of_group::<ROWS, OWN>(group);
        let how = Finish { is_turned: false, ..how.knowing(has_bias, false, false) };
        let mut math = ring.consumer();
        let mut at = turns[0].first();
        while at < turns[0].end() {
            let part = division.part(offsets, &before, turns[0], at);
            at = turns[0].after(at, part.is_full);
            let (row, behind, col) = (part.row as usize, part.end as usize, part.col as usize * COLS);
            let end = [behind, shape.n];
            let finisher = finisher_of(how, bias, epilogue, part.group as usize, shape.n);
            let own = [row + rank * ROWS + down, col + right];
            let shared = [row + down, col + rank * HALF];
            // `BLOCKS` is compared here too: kernels without clusters have no code for half a tile.
            if BLOCKS > 1 && behind <= row + ROWS {
                if shared[0] < behind {
                    let mut sums = Accumulator::<f32, HALF>::zero();
                    add_steps::<T, Lines<T>, 8, 64, ROWS, COLS, HALF, STAGES, BLOCKS>(
                        &mut math,
                        &mut sums,
                        [down, rank * HALF],
                        steps,
                    );
                    store_sums::<T, E, HALF>(c, out, &mut sums, finisher, shared, end, is_plain);
                } else if row < behind {
                    pass_steps::<T, ROWS, COLS, STAGES, BLOCKS>(&mut math, steps);
                }
            } else if own[0] < behind {
                let mut sums = Accumulator::<f32, OWN>::zero();
                add_steps::<T, Lines<T>, 8, 64, ROWS, COLS, OWN, STAGES, BLOCKS>(
                    &mut math,
                    &mut sums,
                    [down, right],
                    steps,
                );
                store_sums::<T, E, OWN>(c, out, &mut sums, finisher, own, end, is_plain);
            } else if row < behind {
                pass_steps::<T, ROWS, COLS, STAGES, BLOCKS>(&mut math, steps);
            }
        }
    }
    if BLOCKS > 1 {
        // No block ends while another may arrive at its barriers.
        cluster_sync();
    }
}

/// Releases the stages of a tile of which the warpgroup has no rows.
#[gpu_fn]
fn pass_steps<
    'r,
    T: Multiplied,
    const ROWS: usize,
    const COLS: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    math: &mut Consumer<'r, Step<'r, T, 8, 64, ROWS, COLS>, STAGES, 2, BLOCKS>,
    steps: u32,
) {
    for _ in 0..steps {
        let stage = math.wait();
        math.release(stage);
    }
}

/// Stores the elements of a warpgroup's sums, which begin at (`row`, `col`) of `c`, up to `end`, part after part. If `is_plain`, they are
/// the sums.
#[gpu_fn]
fn store_sums<T: Multiplied<Total = f32> + Stored, E: Epilogue, const OWN: usize>(
    c: &mut [T],
    places: Stages<T, GROUP, OUT, PLACES, Swizzle128>,
    sums: &mut Accumulator<f32, OWN>,
    finisher: Finisher<T, E>,
    [row, col]: [usize; 2],
    end: [usize; 2],
    is_plain: bool,
) {
    let group = warpgroup_id() as usize;
    #[unroll]
    for part in 0..OWN / OUT {
        let first = col + part * OUT;
        if !is_plain {
            sums.map_columns::<OUT, _>(part * OUT, |r, c, sum| {
                finisher.inside(sum, row + r, col + c, end[0], end[1])
            });
        }
        let staged = places.tile(group * 2 + part % 2);
        T::store_tile::<f32, _, OWN, OUT, _>(sums, staged, part * OUT, |sum| sum.cast::<T>());
        // All have written this part, and have stored the one before the last, which lies where the next one will.
        named_barrier_sync(1 + group as u32, 128);
        let to = c.as_mut_ptr().wrapping_add(finisher.place(row, first));
        store_part(staged, to, finisher.place(1, 0), [end[0] - row, end[1].saturating_sub(first)]);
    }
}

/// Stores the first rows and columns of a part to `to`, `stride` elements apart. Rows begin at multiples of 16 bytes.
#[gpu_fn]
fn store_part<T: Multiplied>(
    part: Tile<T, GROUP, OUT, Swizzle128>,
    to: *mut T,
    stride: usize,
    [rows, cols]: [usize; 2],
) {
    let thread = thread_idx().x as usize % 128;
    for i in (thread..GROUP * OUT / 8).step_by(128) {
        let (row, col) = (i / (OUT / 8), i % (OUT / 8) * 8);
        let at = to.wrapping_add(row * stride + col);
        if row < rows && col + 8 <= cols {
            let from = &part[(row, col)] as *const T as *const Pack<T, 8>;
            unsafe { *(at as *mut Pack<T, 8>) = *from }
        } else if row < rows && col < cols {
            for j in 0..cols - col {
                unsafe { *at.wrapping_add(j) = part[(row, col + j)] }
            }
        }
    }
}

/// The same by the warps of a block, a tile for each, of any alignment: compute capability 8.0 and later. `shape.a_stride` and
/// `shape.b_stride` are the distances of rows.
#[gpu_kernel(launch_bounds(THREADS, 2))]
pub fn grouped_warps<
    T: Multiplied<Total = f32> + Stored,
    E: Epilogue,
    A: Side<Element = T>,
    const DEPTH: usize,
    const RINGS: usize,
>(
    a: &[T],
    b: &[T],
    c: &mut [T],
    bias: &[T],
    offsets: &[u32],
    shape: Shape,
    rows: u32,
    how: Finish,
    epilogue: E,
    #[comptime] has_bias: bool,
) {
    let mut rings = shared!([T; RINGS], align = 512);
    let how = Finish { is_turned: false, ..how.knowing(has_bias, false, false) };
    let part = part_of(block_idx().x, shape, offsets, rows);
    let (group, first, end, left) =
        (part.group as usize, part.row as usize, part.end as usize, part.col as usize * TILE);
    if first < end {
        let a = lines_of::<T, A>(a, first * shape.a_stride, [end - first, shape.k], shape.a_stride);
        let b = lines_of::<T, A>(b, group * shape.n * shape.b_stride, [shape.n, shape.k], shape.b_stride);
        let mut sums = WarpAccumulator::<f32, 4, 8>::zero();
        multiply::<T, A, A, DEPTH, RINGS>(&mut rings, a, b, [0, left], shape.k, &mut sums);
        let (warp_row, warp_col) = place_of_warp();
        let (row, col) = (first + warp_row, left + warp_col);
        let finisher = finisher_of(how, bias, epilogue, group, shape.n);
        sums.map(|r, c, sum| finisher.inside(sum, row + r, col + c, end, shape.n));
        let c = unsafe { ViewMut2::from_raw_parts(c.as_mut_ptr(), end, shape.n, how.c_stride) };
        sums.store(c, row, col, |x| x.cast::<T>());
    }
    check(offsets, rows);
}
