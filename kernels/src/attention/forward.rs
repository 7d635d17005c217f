//! Attention by warpgroups: compute capability 9.0. The scores of the next keys are computed while the previous scores weight their
//! values.

use warpsmith::pipeline::{Consumer, Producer};
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Panels, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::tile::Stages;
use warpsmith::types::DeviceType;

use super::shape::{Place, Shape, Steps};
use super::softmax::Rows;
use crate::products::TensorCoreElement;

/// Numbers of the block's barriers at which the warpgroups meet in turns.
pub(super) const TURN: u32 = 1;

/// Stages of the rings of keys and of values.
pub(super) const STAGES: usize = 2;

/// Elements of shared memory of a block, with these tiles for queries and results.
pub const fn shared(rows: usize, keys: usize, size: usize, tiles: usize) -> usize {
    (tiles * rows + 2 * STAGES * keys) * size
}

/// The keys of a step, or their values.
#[derive(Stage)]
pub struct Tokens<
    'a,
    T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static,
    const KEYS: usize,
    const D: usize,
> {
    pub(super) rows: Tile<'a, T, KEYS, D, Panels<KEYS>>,
}

/// Starts the copies of a tile's queries, and of the keys and values of its steps. `before` are the tokens of queries and of keys before
/// those of the sequence. One thread calls it.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
pub(super) fn load_tile<
    'r,
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
>(
    q: &TensorMap4<T, 1, 1, ROWS, 64, Swizzle128>,
    k: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    v: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    load_keys: &mut Producer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    load_values: &mut Producer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    queries: Tile<T, ROWS, D, Panels<ROWS>>,
    full: &Barrier,
    shape: Shape,
    Place { sequence, head, row }: Place,
    before: [u32; 2],
) {
    full.expect((ROWS * D * size_of::<T>()) as u32);
    #[unroll]
    for i in 0..D / 64 {
        let at = [sequence, head, before[0] + row as u32, i as u32 * 64];
        tma_load(queries.panel::<64>(i), q, at, full);
    }
    let Steps { from, to, .. } = shape.steps(row, ROWS as i32, KEYS as i32);
    for step in (from..to).rev() {
        let (head, first) = (head / shape.sharing, before[1] + step as u32 * KEYS as u32);
        let slot = load_keys.acquire();
        #[unroll]
        for i in 0..D / 64 {
            slot.load(slot.tiles().rows.panel::<64>(i), k, [sequence, head, first, i as u32 * 64]);
        }
        load_keys.commit(slot);
        let slot = load_values.acquire();
        #[unroll]
        for i in 0..D / 64 {
            slot.load(slot.tiles().rows.panel::<64>(i), v, [sequence, head, first, i as u32 * 64]);
        }
        load_values.commit(slot);
    }
}

/// Loads the tiles of queries that `next` hands out, with their keys and values. One thread calls it.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
fn load<
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
    tile_of: &mut [u32],
    full: &Barrier,
    empty: &Barrier,
    next: &mut [u32],
    shape: Shape,
) {
    assume(next.len() == 1 && tile_of.len() == 1);
    let tiles = shape.tiles(ROWS as i32);
    let (mut load_keys, mut load_values) = (keys.producer(), values.producer());
    let mut free = Phase::passed();
    loop {
        let tile = atomic_add(&mut next[0], 1);
        empty.wait_for(free);
        free = free.next();
        tile_of[0] = tile;
        if tile >= tiles {
            reset(next, tile, tiles);
            full.arrive();
            break;
        }
        let place = shape.place_of(tile, ROWS as i32);
        load_tile::<T, D, ROWS, KEYS, GROUPS>(
            q,
            k,
            v,
            &mut load_keys,
            &mut load_values,
            queries,
            full,
            shape,
            place,
            [0, 0],
        );
    }
}

/// Resets `next` for the next launch, if `tile` is the number of the last block that finds none of `tiles`.
#[gpu_fn]
pub(super) fn reset(next: &mut [u32], tile: u32, tiles: u32) {
    assume(next.len() == 1);
    if tile == tiles + grid_dim().x - 1 {
        atomic_exchange(&mut next[0], 0);
    }
}

/// Removes the scores of keys that their queries do not see.
#[gpu_fn]
pub(super) fn hide<const KEYS: usize>(
    scores: &mut Accumulator<f32, KEYS>,
    shape: Shape,
    row: i32,
    step: i32,
) {
    let first = step * KEYS as i32;
    scores.map(
        |r, c, score| {
            if shape.hides(row + r as i32, first + c as i32) { f32::NEG_INFINITY } else { score }
        },
    );
}

/// Stores the results of 64 queries, those from `place.row` on, through a tile of shared memory that an earlier store may still read.
/// `alone` is the number of the warpgroup's own barrier. With one of `TILES`, the results replace the queries: all threads have read
/// these, and the store has read the results when this returns.
#[gpu_fn]
fn store<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const TILES: usize,
>(
    results: &Accumulator<f32, D>,
    o: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    tile: Tile<T, 64, D, Panels<ROWS>>,
    place: Place,
    queries: i32,
    alone: u32,
) {
    let place_of_thread = thread_idx().x % 128;
    let is_first = place_of_thread == 0;
    if is_first {
        bulk_wait_read::<0>();
    }
    named_barrier_sync(alone, 128);
    #[unroll]
    for i in 0..D / 64 {
        results.store_tile(tile.panel::<64>(i), i * 64, |x| x.cast::<T>());
    }
    fence_proxy_async();
    named_barrier_sync(alone, 128);
    // The copy engine leaves out queries behind the last.
    if is_first && place.row < queries {
        #[unroll]
        for i in 0..D / 64 {
            let to = [place.sequence, place.head, place.row as u32, i as u32 * 64];
            tma_store(o, to, tile.panel::<64>(i));
        }
        bulk_commit();
        if TILES == 1 {
            bulk_wait_read::<0>();
        }
    }
}

/// Numbers of a warpgroup's barriers: where it waits for its turn to multiply, where the next one does, and its own.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub(super) struct Turns {
    own: u32,
    next: u32,
    pub alone: u32,
}

#[gpu_impl]
impl Turns {
    /// Those of a group of a block.
    pub fn of<const GROUPS: u32>(group: u32) -> Turns {
        Turns { own: TURN + group, next: TURN + (group + 1) % GROUPS, alone: TURN + GROUPS + group }
    }

    /// The first warpgroup begins.
    pub fn begin<const GROUPS: u32>(group: u32) {
        if group == GROUPS - 1 {
            named_barrier_arrive(TURN, 256);
        }
    }

    /// Takes back the turn that nothing follows.
    pub fn end(group: u32) {
        if group == 0 {
            named_barrier_sync(TURN, 256);
        }
    }
}

/// Adds the weighted values of steps to `out`, for the 64 queries of the warpgroup, those from `row` on. There is a step. Arrives at
/// `empty` once the queries are read, unless results take their place.
#[allow(clippy::too_many_arguments, reason = "the state of a warpgroup")]
#[gpu_fn]
pub(super) fn attend_to<
    'r,
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
    const TILES: usize,
>(
    rows: &mut Rows,
    out: &mut Accumulator<f32, D>,
    with_keys: &mut Consumer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    with_values: &mut Consumer<'r, Tokens<'r, T, KEYS, D>, STAGES, GROUPS, 1>,
    mine: Tile<T, 64, D, Panels<ROWS>>,
    empty: &Barrier,
    shape: Shape,
    steps: Steps,
    row: i32,
    scale: f32,
    turns: Turns,
) {
    let mut scores = Accumulator::<f32, KEYS>::zero();
    let stage = with_keys.wait();
    scores.mma_abt(mine, stage.tiles().rows, false);
    with_keys.release(stage);
    if !steps.is_clear(steps.to - 1) {
        hide::<KEYS>(&mut scores, shape, row, steps.to - 1);
    }
    let mut shrink = rows.weigh(&mut scores, scale);
    let mut weights = scores.to_operand::<T>();
    for step in (steps.from..steps.to - 1).rev() {
        let stage = with_keys.wait();
        named_barrier_sync(turns.own, 256);
        let mut scoring = scores.chain();
        scoring.start_abt(mine, stage.tiles().rows, false);
        // Few steps have a greater score than all before; of wide vectors, the vote costs more than it saves.
        if D > 64 || any_sync(u32::MAX, shrink[0] < 1.0 || shrink[1] < 1.0) {
            out.scale_rows(shrink);
        }
        let before = with_values.wait();
        let mut adding = out.chain();
        adding.start_rs_ab(&weights, before.tiles().rows, true);
        // Another warpgroup multiplies while this one computes weights.
        named_barrier_arrive(turns.next, 256);
        scoring.finish_before::<1>();
        with_keys.release(stage);
        if !steps.is_clear(step) {
            hide::<KEYS>(&mut scores, shape, row, step);
        }
        shrink = rows.weigh(&mut scores, scale);
        adding.finish();
        with_values.release(before);
        weights = scores.to_operand::<T>();
    }
    if TILES > 1 {
        empty.arrive();
    }
    out.scale_rows(shrink);
    let before = with_values.wait();
    let mut adding = out.chain();
    adding.start_rs_ab(&weights, before.tiles().rows, true);
    adding.finish();
    with_values.release(before);
}

/// Divides the sums of weighted values by those of weights, and stores the logarithms of 64 queries, those from `row` on, to a head's
/// part of `lse`, from `of_head` on, unless that is empty.
#[gpu_fn]
pub(super) fn finish<const D: usize>(
    rows: Rows,
    out: &mut Accumulator<f32, D>,
    lse: &mut [f32],
    of_head: usize,
    row: i32,
    queries: i32,
    scale: f32,
) {
    let [sum, of_rows] = rows.finish(scale);
    // A query without keys has the result zero.
    let share = |sum: f32| if sum == 0.0 { 0.0 } else { 1.0 / sum };
    out.scale_rows([share(sum[0]), share(sum[1])]);
    let place = thread_idx().x % 128;
    let (row_of_thread, col) = (place / 32 * 16 + place % 32 / 4, place % 4);
    if !lse.is_empty() && col == 0 {
        #[unroll]
        for i in 0..2usize {
            let query = row + row_of_thread as i32 + i as i32 * 8;
            if query < queries {
                lse[of_head + query as usize] = of_rows[i];
            }
        }
    }
}

/// Computes the results of the tiles that `load` loads, for the 64 queries of each that are the warpgroup's.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
fn attend<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const ROWS: usize,
    const KEYS: usize,
    const GROUPS: u32,
    const TILES: usize,
>(
    o: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    lse: &mut [f32],
    keys: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    values: Pipeline<Tokens<T, KEYS, D>, STAGES, GROUPS>,
    tiles_of: Stages<T, ROWS, D, TILES, Panels<ROWS>>,
    tile_of: &[u32],
    full: &Barrier,
    empty: &Barrier,
    shape: Shape,
    scale: f32,
) {
    assume(tile_of.len() == 1);
    let tiles = shape.tiles(ROWS as i32);
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
        let tile = tile_of[0];
        if tile >= tiles {
            break;
        }
        let Place { sequence, head, row } = shape.place_of(tile, ROWS as i32);
        let steps = shape.steps(row, ROWS as i32, KEYS as i32);
        let row = row + group as i32 * 64;
        let mut rows = Rows::new();
        let mut out = Accumulator::<f32, D>::zero();
        if steps.from < steps.to {
            attend_to::<T, D, ROWS, KEYS, GROUPS, TILES>(
                &mut rows,
                &mut out,
                &mut with_keys,
                &mut with_values,
                mine,
                empty,
                shape,
                steps,
                row,
                scale,
                turns,
            );
        } else if TILES > 1 {
            empty.arrive();
        }
        let of_head = (sequence * shape.heads + head) as usize * shape.queries as usize;
        finish::<D>(rows, &mut out, lse, of_head, row, shape.queries, scale);
        let place = Place { sequence, head, row };
        store::<T, D, ROWS, TILES>(&out, o, staged, place, shape.queries, turns.alone);
        if TILES == 1 {
            empty.arrive();
        }
    }
    Turns::end(group);
    let place = thread_idx().x % 128;
    if place == 0 {
        bulk_wait_read::<0>();
    }
}

/// A kernel by its warpgroups that multiply, queries of a tile, roles, and registers of those warpgroups and of the one that copies; then the
/// results, what says which tile is loaded, other arguments, the functions of the roles with theirs, and what all threads of the warpgroup that
/// copies do afterwards.
macro_rules! kernels {
    ($(
        $(#[$docs:meta])* $name:ident($groups:literal, $rows:literal, $roles:tt, $most:literal, $least:literal):
            $o:ty, $tile:ty, ($($other:ident: $type:ty),*),
            $load:ident($($to_load:ident),*), $attend:ident($($to_attend:ident),*), {$($idle:tt)*};
    )+) => {$(
        $(#[$docs])*
        #[gpu_kernel(warpgroups $roles, require(async_wgmma, no_spills))]
        pub fn $name<
            T: TensorCoreElement + DeviceType<Erased = T>,
            const D: usize,
            const KEYS: usize,
            const TILES: usize,
        >(
            q: &TensorMap4<T, 1, 1, $rows, 64, Swizzle128>,
            k: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
            v: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
            o: $o,
            lse: &mut [f32],
            next: &mut [u32],
            shape: Shape,
            scale: f32,
            $($other: $type,)*
        ) {
            let keys = shared!(Pipeline<Tokens<T, KEYS, D>, STAGES, $groups>);
            let values = shared!(Pipeline<Tokens<T, KEYS, D>, STAGES, $groups>);
            let tiles = shared!(Stages<T, $rows, D, TILES, Panels<$rows>>);
            let mut tile_of = shared!([$tile; 1]);
            let full = shared!(Barrier);
            let empty = shared!(Barrier);
            if thread_idx().x == 0 {
                full.init(1);
                empty.init($groups * 128);
                fence_mbarrier_init();
            }
            sync_threads();
            if warpgroup_id() == $groups {
                registers::<$least>();
                if thread_idx().x == $groups * 128 {
                    $load::<T, D, $rows, KEYS, $groups>(
                        q, k, v, keys, values, tiles.tile(0), &mut tile_of, full, empty, next, shape, $($to_load),*
                    );
                }
                $($idle)*
            } else {
                registers::<$most>();
                $attend::<T, D, $rows, KEYS, $groups, TILES>(
                    o, lse, keys, values, tiles, &tile_of, full, empty, shape, scale, $($to_attend),*
                );
            }
        }
    )+};
}
pub(super) use kernels;

kernels! {
    /// `o = softmax(scale * q * kᵀ) * v` of each head, and the logarithms of sums in `lse` unless it is empty. `D` is 64, 128 or 256, and
    /// vectors may be shorter; `KEYS` keys are multiplied in a step. With two `TILES` of shared memory, a tile's results have their own, and the
    /// next queries are loaded while results are stored. With one, results replace the queries, and more keys fit.
    ///
    /// The grid has up to one block for each multiprocessor. Each block takes the next tile of 128 queries from `next`, which is 0 before
    /// and after a launch. One of two warpgroups computes weights while the other one multiplies. Within a warpgroup, the next scores are
    /// computed at the same time as the earlier ones weight their values.
    attention_by_two(2, 128, (232, 232, 40), 232, 40):
        &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>, u32, (), load(), attend(), {};
    /// The same for tiles of 192 queries, by three warpgroups with fewer registers each.
    attention_by_three(3, 192, (160, 160, 160, 32), 160, 32):
        &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>, u32, (), load(), attend(), {};
}
