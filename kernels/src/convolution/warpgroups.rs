//! Convolutions by warpgroups, which multiply the pixels of a box for several taps where they lie: compute capability 9.0.

use warpsmith::pipeline::Consumer;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};
use warpsmith::tensor_map::BoxLayout;
use warpsmith::tile::Stages;

use super::walk::{CHANNELS, Spot, Walk};
use crate::products::finish::{Finish, Finisher};
use crate::products::tensor_cores::element::{Multiplied, Stored};
use crate::products::tensor_cores::warpgroups::{GROUP, PLACES, await_place, is_first_of_group, send};
use crate::products::{Epilogue, TensorCoreElement};

/// Threads of a block: two warpgroups multiply, one thread loads pixels, and one loads filters.
pub const THREADS: u32 = 384;
/// Blocks of a cluster, which load filters for each other.
pub const BLOCKS: u32 = 2;
/// Filters of a part of the results that is stored at a time.
pub const STORED: usize = 64;
/// Warpgroups that multiply.
const GROUPS: u32 = 2;

/// Stages of filters, as many as fit beside `boxes` boxes of `pixels` pixels and parts of results of `out` filters.
pub const fn stages(pixels: usize, boxes: usize, filters: usize, out: usize) -> usize {
    let left = 232_448 - 2048 - PLACES * GROUP * out * 2 - boxes * pixels * 128;
    let most = left / (filters * 128);
    if most > 12 { 12 } else { most }
}

/// Bytes of shared memory of a block, without barriers.
pub const fn shared(pixels: usize, boxes: usize, filters: usize, out: usize) -> usize {
    PLACES * GROUP * out * 2 + boxes * pixels * 128 + stages(pixels, boxes, filters, out) * filters * 128
}

/// A box of pixels.
#[derive(Stage)]
pub(super) struct Pixels<'a, T: Multiplied, const BOX: usize> {
    rows: Tile<'a, T, BOX, CHANNELS, Swizzle128>,
}

/// A tap of filters.
#[derive(Stage)]
pub(super) struct Tap<'a, T: Multiplied, const FILTERS: usize> {
    rows: Tile<'a, T, FILTERS, CHANNELS, Swizzle128>,
}

/// `y`: the sums of the pixels under each tap of each filter times the tap, over all channels, finished by a bias and `epilogue` unless
/// `is_plain`. If `INSIDE`, the tensors of `x` and `y` are `[rows, columns, images, channels]`, and otherwise `[images, rows, columns,
/// channels]`; `w` is `[1, filters, taps, channels]`. Filters that move by two pixels see images of every second row, column or both: `x`
/// has the even ones of both, `x1` to `x3` the others in the order of their first pixels. Of all others, all are `x`.
///
/// A cluster computes every `grid / BLOCKS`-th pair of tiles of as many results for `FILTERS` filters. Two warpgroups multiply 64 pixels
/// each, or twice 64 below each other if `TALL`. A box of `A` × `B` × `C` pixels, of which there are `PIXELS`, has the results' own pixels
/// and those around them. The pixels of 64 results for a tap begin at a multiple of eight pixels of the box, so they are operands where
/// they lie. Each block loads one half of the filters for both.
#[gpu_kernel(warpgroups(232, 232, 40), require(async_wgmma))]
pub fn conv2d_warpgroups<
    T: TensorCoreElement + Stored,
    E: Epilogue,
    L: BoxLayout,
    const INSIDE: bool,
    const TALL: bool,
    const A: usize,
    const B: usize,
    const C: usize,
    const PIXELS: usize,
    const FILTERS: usize,
    const PART: usize,
    const OUT: usize,
    const BOXES: usize,
    const STAGES: usize,
>(
    x: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x1: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x2: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x3: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    w: &TensorMap4<T, 1, PART, 1, 64, Swizzle128>,
    y: &mut TensorMapMut4<T, 1, 8, 8, OUT, L>,
    bias: &[T],
    walk: Walk,
    how: Finish,
    epilogue: E,
    #[comptime] is_plain: bool,
    #[comptime] has_bias: bool,
) {
    let boxes = shared!(Pipeline<Pixels<T, PIXELS>, BOXES, GROUPS>);
    let taps = shared!(Pipeline<Tap<T, FILTERS>, STAGES, GROUPS, BLOCKS>);
    let out = shared!(Stages<T, GROUP, OUT, PLACES, L>);
    grid_dependency_wait();
    launch_dependents();
    let group = warpgroup_id();
    if group == GROUPS {
        registers::<40>();
        if thread_idx().x == 256 {
            load_pixels::<T, INSIDE, A, B, C, PIXELS, FILTERS, BOXES>(x, x1, x2, x3, boxes, walk);
        } else if thread_idx().x == 288 {
            load_taps::<T, PART, FILTERS, STAGES>(w, taps, walk);
        }
    } else {
        registers::<232>();
        let (mut with_boxes, mut with_taps) = (boxes.consumer(), taps.consumer());
        let mut how = how;
        (how.alpha, how.beta, how.is_turned) = (1.0, 0.0, false);
        (how.has_bias, how.has_residual) = (has_bias, false);
        let finisher = Finisher::new(how, bias, bias, epilogue, 0);
        let own = if TALL { 2 * group } else { group };
        for i in (block_idx().x / BLOCKS..walk.count(BLOCKS, FILTERS as u32))
            .step_by((grid_dim().x / BLOCKS) as usize)
        {
            let mut spot = walk.spot(i, cluster_block_rank(), BLOCKS, FILTERS as u32);
            // Images side by side fill 64 results of eight columns, and one image fills them with eight rows.
            let rows = if INSIDE { 1 } else { 8u32 };
            spot.row += own * rows;
            let mut upper = Accumulator::<f32, FILTERS>::zero();
            let mut lower = Accumulator::<f32, FILTERS>::zero();
            multiply::<T, INSIDE, TALL, B, PIXELS, FILTERS, BOXES, STAGES>(
                &mut with_boxes,
                &mut with_taps,
                &mut upper,
                &mut lower,
                walk,
                own as usize,
            );
            store::<T, E, L, INSIDE, FILTERS, OUT>(y, out, upper, finisher, walk, spot, group, is_plain);
            if TALL {
                spot.row += rows;
                store::<T, E, L, INSIDE, FILTERS, OUT>(y, out, lower, finisher, walk, spot, group, is_plain);
            }
        }
        if is_first_of_group() {
            bulk_wait_read::<0>();
        }
    }
    // No block ends while another may arrive at its barriers.
    cluster_sync();
}

/// Loads the boxes of all tiles. One thread calls it.
#[gpu_fn]
fn load_pixels<
    T: TensorCoreElement + Stored,
    const INSIDE: bool,
    const A: usize,
    const B: usize,
    const C: usize,
    const PIXELS: usize,
    const FILTERS: usize,
    const BOXES: usize,
>(
    x: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x1: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x2: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    x3: &TensorMap4<T, A, B, C, 64, Swizzle128>,
    boxes: Pipeline<Pixels<T, PIXELS>, BOXES, GROUPS>,
    walk: Walk,
) {
    let mut load = boxes.producer();
    for i in
        (block_idx().x / BLOCKS..walk.count(BLOCKS, FILTERS as u32)).step_by((grid_dim().x / BLOCKS) as usize)
    {
        let spot = walk.spot(i, cluster_block_rank(), BLOCKS, FILTERS as u32);
        for step in 0..walk.steps {
            for r in 0..walk.loads[0] {
                for s in 0..walk.loads[1] {
                    let (number, [row, col]) = walk.corner(spot, r, s);
                    let (image, channel) = (spot.image as i32, (step * CHANNELS as u32) as i32);
                    let at = if INSIDE { [row, col, image, channel] } else { [image, row, col, channel] };
                    let slot = load.acquire();
                    match number {
                        0 => slot.load(slot.tiles().rows, x, at),
                        1 => slot.load(slot.tiles().rows, x1, at),
                        2 => slot.load(slot.tiles().rows, x2, at),
                        _ => slot.load(slot.tiles().rows, x3, at),
                    }
                    load.commit(slot);
                }
            }
        }
    }
}

/// Loads one half of each tap of all tiles, for both blocks of the cluster. One thread calls it.
#[gpu_fn]
fn load_taps<T: TensorCoreElement + Stored, const PART: usize, const FILTERS: usize, const STAGES: usize>(
    w: &TensorMap4<T, 1, PART, 1, 64, Swizzle128>,
    taps: Pipeline<Tap<T, FILTERS>, STAGES, GROUPS, BLOCKS>,
    walk: Walk,
) {
    let mut load = taps.producer();
    let rank = cluster_block_rank();
    for i in
        (block_idx().x / BLOCKS..walk.count(BLOCKS, FILTERS as u32)).step_by((grid_dim().x / BLOCKS) as usize)
    {
        let filter = walk.spot(i, rank, BLOCKS, FILTERS as u32).filter + rank * PART as u32;
        for step in 0..walk.steps {
            for r in 0..walk.loads[0] {
                for s in 0..walk.loads[1] {
                    for down in 0..walk.taps_down(r) {
                        for across in 0..walk.taps_across(s) {
                            let tap = walk.tap([r, s], [down, across]);
                            let slot = load.acquire();
                            let part = slot.tiles().rows.rows::<PART>(rank as usize * PART);
                            let every = ((1u32 << BLOCKS) - 1) as u16;
                            slot.load_multicast(part, w, [0, filter, tap, step * CHANNELS as u32], every);
                            load.commit(slot);
                        }
                    }
                }
            }
        }
    }
}

/// Adds the products of a tile to the sums of a warpgroup: those of the 64 results number `own` of the block to `upper`, and, if `TALL`, those of
/// the next 64 to `lower`.
#[gpu_fn]
fn multiply<
    'r,
    T: TensorCoreElement + Stored,
    const INSIDE: bool,
    const TALL: bool,
    const B: usize,
    const PIXELS: usize,
    const FILTERS: usize,
    const BOXES: usize,
    const STAGES: usize,
>(
    with_boxes: &mut Consumer<'r, Pixels<'r, T, PIXELS>, BOXES, GROUPS, 1>,
    with_taps: &mut Consumer<'r, Tap<'r, T, FILTERS>, STAGES, GROUPS, BLOCKS>,
    upper: &mut Accumulator<f32, FILTERS>,
    lower: &mut Accumulator<f32, FILTERS>,
    walk: Walk,
    own: usize,
) {
    // Pixels of a box from those of a tap to those of the tap below, and from those of 64 results to those of the next 64.
    let (pitch, down) = if INSIDE { (8 * B, 8 * B) } else { (8, GROUP) };
    let mut above = upper.chain();
    let mut below = lower.chain();
    let in_step = walk.loads[0] * walk.loads[1];
    for number in 0..walk.steps * in_step {
        let number = number % in_step;
        let (row, col) = (number / walk.loads[1], number % walk.loads[1]);
        let loaded = with_boxes.wait();
        for r in 0..walk.taps_down(row) {
            for s in 0..walk.taps_across(col) {
                let from = own * down + r as usize * pitch + s as usize * 8;
                let tap = with_taps.wait();
                above.start_abt(loaded.tiles().rows.rows::<GROUP>(from), tap.tiles().rows, true);
                if TALL {
                    below.start_abt(loaded.tiles().rows.rows::<GROUP>(from + down), tap.tiles().rows, true);
                    below.wait::<2>();
                } else {
                    above.wait::<1>();
                }
                // The products of the tap before are done, and so are those of the box before.
                with_taps.hold(tap);
                if r == 0 && s == 0 {
                    with_boxes.release_held();
                }
            }
        }
        with_boxes.hold(loaded);
    }
    above.finish();
    if TALL {
        below.finish();
    }
    with_taps.release_held();
    with_boxes.release_held();
}

/// Stores the results of 64 sums for each filter, the first of which is at `spot`, a part of the filters after the other.
#[allow(clippy::too_many_arguments, reason = "the state of a warpgroup")]
#[gpu_fn]
fn store<
    T: TensorCoreElement + Stored,
    E: Epilogue,
    L: BoxLayout,
    const INSIDE: bool,
    const FILTERS: usize,
    const OUT: usize,
>(
    y: &mut TensorMapMut4<T, 1, 8, 8, OUT, L>,
    places: Stages<T, GROUP, OUT, PLACES, L>,
    sums: Accumulator<f32, FILTERS>,
    finisher: Finisher<T, E>,
    walk: Walk,
    spot: Spot,
    group: u32,
    is_plain: bool,
) {
    // The registers that tensor cores add to would not stay in their places if they were finished there.
    let mut sums = sums;
    let Spot { image, row, col, filter } = spot;
    let group = group as usize;
    // Of a thread's two results, the second is eight behind the first.
    let place = Accumulator::<f32, FILTERS>::at(0).0 as u32;
    let (outer, inner) = (place / 8, place % 8);
    let of = |outer: u32| {
        if INSIDE {
            walk.number(image + inner, row, col + outer)
        } else {
            walk.number(image, row + outer, col + inner)
        }
    };
    let numbers = [of(outer), of(outer + 1)];
    #[unroll]
    for part in 0..FILTERS / OUT {
        let staged = places.tile(group * 2 + part % 2);
        await_place::<FILTERS, OUT>(part, group);
        if !is_plain {
            sums.map_columns::<OUT, _>(part * OUT, |r, c, sum| {
                let (number, filter) = (numbers[r / 8 % 2], filter as usize + c);
                finisher.inside(sum, number, filter, walk.results(), walk.filters as usize)
            });
        }
        T::store_tile::<_, _, FILTERS, OUT, _>(&sums, staged, part * OUT, |sum| sum.cast::<T>());
        let first = filter + (part * OUT) as u32;
        let at = if INSIDE { [row, col, image, first] } else { [image, row, col, first] };
        send(y, at, staged, group);
    }
}
