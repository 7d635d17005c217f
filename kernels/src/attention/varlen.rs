//! Attention of sequences of any lengths, whose tokens lie one after another: compute capability 9.0. The blocks are those of
//! `forward`; each finds the sequence of a tile by itself.

use warpsmith::pipeline::Consumer;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Panels, Swizzle128};
use warpsmith::tile::Stages;
use warpsmith::types::DeviceType;

use super::forward::{STAGES, TURN, Tokens, Turns, attend_to, finish, hide, load_tile, reset};
use super::shape::{Place, Shape};
use super::softmax::Rows;
use crate::pack::Pack;
use crate::products::TensorCoreElement;
use crate::segments::{check, first_tile, segment_of, span};

/// Sequences one after another, and where their results lie.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Packed {
    /// Queries of all sequences.
    pub queries: u32,
    /// Keys of all sequences.
    pub keys: u32,
    /// Elements of a vector.
    pub size: u32,
    /// Elements from one head and token of results to the next.
    pub o: [usize; 2],
}

/// A tile of queries of a sequence.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Part {
    /// The head, and the first query of the tile.
    place: Place,
    /// Queries and keys of all sequences before this one.
    before: [u32; 2],
    /// Queries of the sequence; none if there is no tile.
    queries: i32,
    /// Keys of the sequence.
    keys: i32,
}

#[gpu_impl]
impl Packed {
    /// Tile `i` of `shape`, which has the tiles of all sequences and some that are not there.
    fn part_of<const ROWS: usize>(self, i: u32, shape: Shape, offsets_q: &[u32], offsets_k: &[u32]) -> Part {
        let rows = ROWS as u32;
        let Place { head, row, .. } = shape.place_of(i, ROWS as i32);
        let number = row as u32 / rows;
        let s = segment_of(offsets_q, number, rows);
        let first = first_tile(offsets_q, s, rows);
        let [before_q, queries] = span(offsets_q, s, self.queries);
        let [before_k, keys] = span(offsets_k, s, self.keys);
        let mut part = Part {
            place: Place { sequence: 0, head, row: 0 },
            before: [before_q, before_k],
            queries: 0,
            keys: keys as i32,
        };
        if first <= number && number - first < queries.div_ceil(rows) {
            part.place.row = ((number - first) * rows) as i32;
            part.queries = queries as i32;
        }
        part
    }
}

#[gpu_impl]
impl Part {
    /// The sequence as if it were alone.
    fn alone(self, all: Shape) -> Shape {
        let mut shape = all;
        shape.queries = self.queries;
        shape.keys = self.keys;
        shape
    }
}

/// Loads the tiles of queries that `next` hands out, with their keys and values. One thread calls it.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
pub(super) fn load<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
>(
    q: &TensorMap4<T, 1, 1, ROWS, 64, Swizzle128>,
    k: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    v: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    keys: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    values: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    queries: Tile<T, ROWS, D, Panels<ROWS>>,
    part_of: &mut [Part],
    full: &Barrier,
    empty: &Barrier,
    next: &mut [u32],
    shape: Shape,
    offsets_q: &[u32],
    offsets_k: &[u32],
    at: Packed,
) {
    assume(next.len() == 1 && part_of.len() == 1);
    let tiles = shape.tiles(ROWS as i32);
    let (mut load_keys, mut load_values) = (keys.producer(), values.producer());
    let mut free = Phase::passed();
    loop {
        let tile = atomic_add(&mut next[0], 1);
        if tile >= tiles {
            empty.wait_for(free);
            part_of[0].queries = 0;
            reset(next, tile, tiles);
            full.arrive();
            break;
        }
        let part = at.part_of::<ROWS>(tile, shape, offsets_q, offsets_k);
        if part.queries > 0 {
            empty.wait_for(free);
            free = free.next();
            part_of[0] = part;
            load_tile::<T, D, ROWS, KEYS, GROUPS>(
                q,
                k,
                v,
                &mut load_keys,
                &mut load_values,
                queries,
                full,
                part.alone(shape),
                part.place,
                part.before,
            );
        }
    }
}

/// Adds the weighted values of a sequence's last keys to `out`, where those of another sequence follow in the same step: zeros replace these,
/// since their weight of zero times NaN is NaN.
#[allow(clippy::too_many_arguments, reason = "the state of a warpgroup")]
#[gpu_fn]
fn attend_to_end<
    'r,
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
>(
    rows: &mut Rows,
    out: &mut Accumulator<f32, D>,
    with_keys: &mut Consumer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    with_values: &mut Consumer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    mine: Tile<T, 64, D, Panels<ROWS>>,
    shape: Shape,
    step: i32,
    row: i32,
    scale: f32,
) {
    let mut scores = Accumulator::<f32, KEYS>::zero();
    let stage = with_keys.wait();
    scores.mma_abt(mine, stage.tiles().rows, false);
    with_keys.release(stage);
    hide::<KEYS>(&mut scores, shape, row, step);
    // These are the first weights.
    rows.weigh(&mut scores, scale);
    let weights = scores.to_operand::<T>();
    let stage = with_values.wait();
    clear_rows::<T, KEYS, D>(stage.tiles().rows, (shape.keys - step * KEYS as i32) as usize, GROUPS * 128);
    named_barrier_sync(TURN + 2 * GROUPS, GROUPS * 128);
    let mut adding = out.chain();
    adding.start_rs_ab(&weights, stage.tiles().rows, true);
    adding.finish();
    with_values.release(stage);
}

/// Makes zeros of the rows of a tile from `first` on, for products after a barrier of the first `threads` threads of the block.
#[gpu_fn]
pub(super) fn clear_rows<T: TensorCoreElement + DeviceType<Erased = T>, const ROWS: usize, const D: usize>(
    mut tile: Tile<T, ROWS, D, Panels<ROWS>>,
    first: usize,
    threads: u32,
) {
    for i in (first * (D / 8) + thread_idx().x as usize..ROWS * (D / 8)).step_by(threads as usize) {
        let to = &mut tile[(i / (D / 8), i % (D / 8) * 8)] as *mut T as *mut U32x4;
        unsafe { *to = U32x4::splat(0) }
    }
    fence_proxy_async();
}

/// Stores the first `count` of 64 vectors to `to`, `stride` elements apart, by a tile of the warpgroup's.
#[gpu_fn]
pub(super) fn store_rows<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const OF: usize>(
    results: &Accumulator<f32, D>,
    tile: Tile<T, 64, D, Panels<OF>>,
    to: *mut T,
    stride: usize,
    count: i32,
    size: u32,
) {
    // A warp stores the 16 rows that it has put into the tile.
    sync_warp();
    #[unroll]
    for i in 0..D / 64 {
        results.store_tile(tile.panel::<64>(i), i * 64, |x| x.cast::<T>());
    }
    sync_warp();
    let (warp, lane) = (thread_idx().x as usize % 128 / 32, lane_id() as usize);
    for i in (lane..16 * D / 8).step_by(32) {
        let (row, col) = (warp * 16 + i / (D / 8), i % (D / 8) * 8);
        if (row as i32) < count && col < size as usize {
            let from = &tile[(row, col)] as *const T as *const Pack<T, 8>;
            unsafe { *(to.wrapping_add(row * stride + col) as *mut Pack<T, 8>) = *from }
        }
    }
}

/// Computes the results of the tiles that `load` loads, for the 64 queries of each that are the warpgroup's.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
pub(super) fn attend<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
    const TILES: usize,
>(
    o: &mut [T],
    lse: &mut [f32],
    keys: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    values: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    tiles_of: Stages<T, ROWS, D, TILES, Panels<ROWS>>,
    part_of: &[Part],
    full: &Barrier,
    empty: &Barrier,
    shape: Shape,
    scale: f32,
    at: Packed,
) {
    assume(part_of.len() == 1);
    let group = warpgroup_id();
    let mine = tiles_of.tile(0).rows::<64>(group as usize * 64);
    let staged = tiles_of.tile(TILES - 1).rows::<64>(group as usize * 64);
    let turns = Turns::of::<GROUPS>(group);
    let scale = scale * core::f32::consts::LOG2_E;
    let (mut with_keys, mut with_values) = (keys.consumer(), values.consumer());
    let mut filled = Phase::first();
    Turns::begin::<GROUPS>(group);
    loop {
        full.wait_for(filled);
        filled = filled.next();
        if part_of[0].queries == 0 {
            break;
        }
        let part = part_of[0];
        let (of_part, Place { head, row, .. }) = (part.alone(shape), part.place);
        let mut steps = of_part.steps(row, ROWS as i32, KEYS as i32);
        let row = row + group as i32 * 64;
        let mut rows = Rows::new();
        let mut out = Accumulator::<f32, D>::zero();
        let is_followed = part.before[1] + (part.keys as u32) < at.keys;
        if steps.from < steps.to && steps.to * KEYS as i32 > part.keys && is_followed {
            steps.to -= 1;
            attend_to_end::<T, D, ROWS, KEYS, GROUPS>(
                &mut rows,
                &mut out,
                &mut with_keys,
                &mut with_values,
                mine,
                of_part,
                steps.to,
                row,
                scale,
            );
        }
        if steps.from < steps.to {
            attend_to::<T, D, ROWS, KEYS, GROUPS, TILES>(
                &mut rows,
                &mut out,
                &mut with_keys,
                &mut with_values,
                mine,
                empty,
                of_part,
                steps,
                row,
                scale,
                turns,
            );
        } else if TILES > 1 {
            empty.arrive();
        }
        let of_head = head as usize * at.queries as usize + part.before[0] as usize;
        finish::<D>(rows, &mut out, lse, of_head, row, part.queries, scale);
        let first = head as usize * at.o[0] + (part.before[0] as usize + row as usize) * at.o[1];
        let to = o.as_mut_ptr().wrapping_add(first);
        if TILES == 1 {
            // All threads of the warpgroup have read the queries, which the results replace.
            named_barrier_sync(turns.alone, 128);
        }
        store_rows::<T, D, ROWS>(&out, staged, to, at.o[1], part.queries - row, at.size);
        if TILES == 1 {
            fence_proxy_async();
            empty.arrive();
        }
    }
    Turns::end(group);
}

super::forward::kernels! {
    /// Attention of sequences whose queries and keys begin at `offsets_q` and `offsets_k`, as
    /// [`attention_by_two`](struct@super::forward::attention_by_two) computes it. `shape` has as many queries as fill all tiles.
    varlen_by_two(2, 128, (232, 232, 40), 232, 40):
        &mut [T], Part, (offsets_q: &[u32], offsets_k: &[u32], at: Packed),
        load(offsets_q, offsets_k, at), attend(at), { check(offsets_q, at.queries); check(offsets_k, at.keys); };
    /// The same for tiles of 192 queries, by three warpgroups with fewer registers each.
    varlen_by_three(3, 192, (160, 160, 160, 32), 160, 32):
        &mut [T], Part, (offsets_q: &[u32], offsets_k: &[u32], at: Packed),
        load(offsets_q, offsets_k, at), attend(at), { check(offsets_q, at.queries); check(offsets_k, at.keys); };
}
