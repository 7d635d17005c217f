//! Gradients of keys and values by warpgroups, and the parts of the gradients of queries: compute capability 9.0. The scores of the
//! next queries are computed while the gradients of the previous ones are multiplied.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, LeftOperand, Panels, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::tile::Unswizzled;
use warpsmith::types::DeviceType;

use crate::attention::shape::{Place, Shape, Steps};
use crate::products::TensorCoreElement;

/// Keys of a block: 64 for each of two warpgroups.
pub const KEYS: usize = 128;

/// Stages of the rings of queries and of the results' gradients.
const STAGES: usize = 2;

/// Warpgroups that multiply.
const GROUPS: u32 = 2;

/// Threads of a block.
pub const THREADS: u32 = (GROUPS + 1) * 128;

/// Number of the barrier at which both warpgroups meet; the next ones are those of each alone.
const BOTH: u32 = 1;

/// Elements of a part of the gradients of queries: 64 × 64, which a warpgroup adds in each step.
pub const PART: usize = 64 * 64;

/// Shared memory of a block, in bytes, for elements of two bytes.
pub const fn shared(size: usize, queries: usize) -> usize {
    4 * KEYS * size + 2 * STAGES * queries * (2 * size + size_of::<f32>()) + 4 * KEYS * queries
}

/// The queries of a step, or the gradients of their results, with a number for each.
#[derive(Stage)]
pub struct Rows<
    'a,
    T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static,
    const QUERIES: usize,
    const D: usize,
> {
    rows: Tile<'a, T, QUERIES, D, Panels<QUERIES>>,
    numbers: Tile<'a, f32, 1, QUERIES, Unswizzled>,
}

/// The block's keys: their place, and the steps of queries that see some of them.
#[gpu_fn]
fn work<const QUERIES: usize>(shape: Shape) -> (Place, Steps) {
    let place = shape.keys_of(block_idx().x, KEYS as i32);
    (place, shape.steps_of_keys(place.row, KEYS as i32, QUERIES as i32))
}

/// Loads the block's keys and values, and the queries and gradients of each step. One thread calls it.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
fn load<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const QUERIES: usize>(
    q: &TensorMap4<T, 1, 1, QUERIES, 64, Swizzle128>,
    k: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    v: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    of_o: &TensorMap4<T, 1, 1, QUERIES, 64, Swizzle128>,
    numbers: &TensorMap<f32, 1, QUERIES, Unswizzled>,
    queries: Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>,
    gradients: Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>,
    keys: Tile<T, KEYS, D, Panels<KEYS>>,
    values: Tile<T, KEYS, D, Panels<KEYS>>,
    full: &Barrier,
    shape: Shape,
) {
    let (Place { sequence, head, row }, Steps { from, to, .. }) = work::<QUERIES>(shape);
    full.expect((2 * KEYS * D * size_of::<T>()) as u32);
    #[unroll]
    for i in 0..D / 64 {
        let at = [sequence, head, row as u32, i as u32 * 64];
        tma_load(keys.panel::<64>(i), k, at, full);
        tma_load(values.panel::<64>(i), v, at, full);
    }
    let (mut load_queries, mut load_gradients) = (queries.producer(), gradients.producer());
    for shared in 0..shape.sharing {
        let head = head * shape.sharing + shared;
        let line = sequence * shape.heads + head;
        for step in from..to {
            let first = step as u32 * QUERIES as u32;
            let slot = load_queries.acquire();
            #[unroll]
            for i in 0..D / 64 {
                slot.load(slot.tiles().rows.panel::<64>(i), q, [sequence, head, first, i as u32 * 64]);
            }
            slot.load(slot.tiles().numbers, numbers, [line * 2, first]);
            load_queries.commit(slot);
            let slot = load_gradients.acquire();
            #[unroll]
            for i in 0..D / 64 {
                slot.load(slot.tiles().rows.panel::<64>(i), of_o, [sequence, head, first, i as u32 * 64]);
            }
            slot.load(slot.tiles().numbers, numbers, [line * 2 + 1, first]);
            load_gradients.commit(slot);
        }
    }
}

/// The numbers of the two columns of which the calling thread has group `j`'s elements.
#[gpu_fn]
fn of_columns<const QUERIES: usize>(numbers: Tile<f32, 1, QUERIES, Unswizzled>, j: usize) -> [f32; 2] {
    let two = &numbers[(0, j * 8 + lane_id() as usize % 4 * 2)] as *const f32 as *const F32x2;
    let two = unsafe { *two };
    [two.x, two.y]
}

/// Replaces the scores of 64 keys, those from `key` on, for the queries of a step by weights: `2^(scale * score - logarithm of the query)`.
#[gpu_fn]
fn weigh<const QUERIES: usize>(
    scores: &mut Accumulator<f32, QUERIES>,
    logarithms: Tile<f32, 1, QUERIES, Unswizzled>,
    shape: Shape,
    steps: Steps,
    step: i32,
    key: i32,
    scale: f32,
) {
    if !steps.is_clear(step) {
        let query = step * QUERIES as i32;
        scores.map(
            |r, c, score| {
                if shape.hides(query + c as i32, key + r as i32) { f32::NEG_INFINITY } else { score }
            },
        );
    }
    #[unroll]
    for j in 0..QUERIES / 8 {
        let of_queries = of_columns::<QUERIES>(logarithms, j);
        #[unroll]
        for e in 0..4usize {
            let i = j * 4 + e;
            scores.set(i, fast_exp2(scores.get(i).mul_add(scale, -of_queries[e % 2])));
        }
    }
}

/// Replaces the gradients of weights by those of scores: `weight * (gradient - mean of the query)`.
///
/// The weights are `scores`. Steps of 128 queries have no registers for them while products need them rounded, and take these.
#[gpu_fn]
fn differ<T: TensorCoreElement + DeviceType<Erased = T>, const QUERIES: usize>(
    gradients: &mut Accumulator<f32, QUERIES>,
    scores: &Accumulator<f32, QUERIES>,
    rounded: &LeftOperand<T, QUERIES>,
    means: Tile<f32, 1, QUERIES, Unswizzled>,
) {
    #[unroll]
    for j in 0..QUERIES / 8 {
        let of_queries = of_columns::<QUERIES>(means, j);
        #[unroll]
        for e in 0..4usize {
            let i = j * 4 + e;
            let weight = if QUERIES > 64 { rounded.pair(i / 2)[e % 2] } else { scores.get(i) };
            gradients.set(i, weight * (gradients.get(i) - of_queries[e % 2]));
        }
    }
}

/// Adds to the gradients of 64 values by the queries of a step, and stores the gradients of their scores for other products.
#[gpu_fn]
fn change<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const QUERIES: usize>(
    scores: &Accumulator<f32, QUERIES>,
    sum_v: &mut Accumulator<f32, D>,
    values: Tile<T, 64, D, Panels<KEYS>>,
    of_o: Rows<T, QUERIES, D>,
    to: Tile<T, 64, QUERIES, Panels<KEYS>>,
) {
    let weights = scores.to_operand::<T>();
    let mut changed = Accumulator::<f32, QUERIES>::zero();
    let mut changing = changed.chain();
    changing.start_abt(values, of_o.rows, false);
    let mut adding = sum_v.chain();
    adding.start_rs_ab(&weights, of_o.rows, true);
    changing.finish_before::<1>();
    differ::<T, QUERIES>(&mut changed, scores, &weights, of_o.numbers);
    adding.finish();
    changed.to_operand::<T>().store(to);
    fence_proxy_async();
}

/// Adds four numbers to those at an address of global memory that is a multiple of 16 bytes, each atomically.
///
/// Source: PTX ISA, `red`, `.v4`; compute capability 9.0.
#[gpu_fn(ptx = "red.global.add.v4.f32 [{to}], {{a}, {b}, {c}, {d}};")]
fn add_four(to: *mut f32, a: f32, b: f32, c: f32, d: f32) {
    for (i, x) in [a, b, c, d].into_iter().enumerate() {
        // SAFETY: the caller has four numbers there.
        atomic_add(unsafe { &mut *to.add(i) }, x);
    }
}

/// Adds a part of the gradients of queries to those in global memory, where each thread has its numbers side by side, four at a time.
#[gpu_fn]
fn add(part: &Accumulator<f32, 64>, dq: &mut [f32], number: u32) {
    let thread = thread_idx().x as usize % 128;
    let to = dq.as_mut_ptr().wrapping_add(number as usize * PART + thread * 4);
    #[unroll]
    for j in 0..8usize {
        let i = j * 4;
        add_four(to.wrapping_add(j * 512), part.get(i), part.get(i + 1), part.get(i + 2), part.get(i + 3));
    }
}

/// Stores the gradients of 64 keys or values by a tile that nothing else uses.
#[gpu_fn]
fn store_sums<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize>(
    sums: &Accumulator<f32, D>,
    to: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    tile: Tile<T, 64, D, Panels<KEYS>>,
    Place { sequence, head, row }: Place,
    keys: i32,
    alone: u32,
) {
    #[unroll]
    for i in 0..D / 64 {
        sums.store_tile(tile.panel::<64>(i), i * 64, |x| x.cast::<T>());
    }
    fence_proxy_async();
    named_barrier_sync(alone, 128);
    let thread = thread_idx().x % 128;
    // The copy engine leaves out keys behind the last.
    if thread == 0 && row < keys {
        #[unroll]
        for i in 0..D / 64 {
            tma_store(to, [sequence, head, row as u32, i as u32 * 64], tile.panel::<64>(i));
        }
        bulk_commit();
    }
}

/// Computes the gradients of the 64 keys and values of the block that are the warpgroup's, and its part of those of each step's queries.
#[allow(clippy::too_many_arguments, reason = "the shared memory of the kernel, and its arguments")]
#[gpu_fn]
fn differentiate<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const QUERIES: usize>(
    dq: &mut [f32],
    dk: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    dv: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    queries: Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>,
    gradients: Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>,
    keys: Tile<T, KEYS, D, Panels<KEYS>>,
    values: Tile<T, KEYS, D, Panels<KEYS>>,
    changes: Stages<T, KEYS, QUERIES, 2, Panels<KEYS>>,
    full: &Barrier,
    shape: Shape,
    scale: f32,
) {
    // The remainder tells compilers which keys there may be.
    let (group, thread) = (warpgroup_id() % GROUPS, thread_idx().x % 128);
    let alone = BOTH + 1 + group;
    let (Place { sequence, head, row }, steps) = work::<QUERIES>(shape);
    let first = group as usize * 64;
    let key = row + first as i32;
    let (mine, mine_v) = (keys.rows::<64>(first), values.rows::<64>(first));
    // Each warpgroup adds to 64 queries, or to 64 columns of them.
    let (of_queries, of_cols) = if D == 64 { (group as usize, 0) } else { (0, group as usize) };
    let of_k = keys.panel::<64>(of_cols);
    let tiles = shape.tiles_of_queries(QUERIES as i32);
    let exponent = scale * core::f32::consts::LOG2_E;
    let (mut with_queries, mut with_gradients) = (queries.consumer(), gradients.consumer());
    let (mut sum_k, mut sum_v) = (Accumulator::<f32, D>::zero(), Accumulator::<f32, D>::zero());
    let in_head = (steps.to - steps.from).max(0);
    let count = in_head * shape.sharing as i32;
    full.wait_for(Phase::first());
    if count > 0 {
        let mut scores = Accumulator::<f32, QUERIES>::zero();
        let mut stage = with_queries.wait();
        scores.mma_abt(mine, stage.tiles().rows, false);
        weigh::<QUERIES>(&mut scores, stage.tiles().numbers, shape, steps, steps.from, key, exponent);
        let of_o = with_gradients.wait();
        change::<T, D, QUERIES>(&scores, &mut sum_v, mine_v, of_o.tiles(), changes.tile(0).rows::<64>(first));
        named_barrier_sync(BOTH, 256);
        with_gradients.release(of_o);
        let first_head = sequence * shape.heads + head * shape.sharing;
        let mut number = (first_head * tiles + steps.from as u32) * 2 + group;
        for i in 1..count {
            let step = steps.from + i % in_head;
            let changed = changes.tile(i as usize - 1);
            let next = with_queries.wait();
            let mut scoring = scores.chain();
            scoring.start_abt(mine, next.tiles().rows, false);
            let mut part = Accumulator::<f32, 64>::zero();
            let mut of_q = part.chain();
            of_q.start_atb(changed.panel::<64>(of_queries), of_k, false);
            let mut adding = sum_k.chain();
            adding.start_ab(changed.rows::<64>(first), stage.tiles().rows, true);
            scoring.finish_before::<2>();
            weigh::<QUERIES>(&mut scores, next.tiles().numbers, shape, steps, step, key, exponent);
            of_q.finish_before::<1>();
            add(&part, dq, number);
            adding.finish();
            with_queries.release(stage);
            stage = next;
            number = ((first_head + (i / in_head) as u32) * tiles + step as u32) * 2 + group;

            let of_o = with_gradients.wait();
            let to = changes.tile(i as usize).rows::<64>(first);
            change::<T, D, QUERIES>(&scores, &mut sum_v, mine_v, of_o.tiles(), to);
            named_barrier_sync(BOTH, 256);
            with_gradients.release(of_o);
        }
        let changed = changes.tile(count as usize - 1);
        let mut part = Accumulator::<f32, 64>::zero();
        let mut of_q = part.chain();
        of_q.start_atb(changed.panel::<64>(of_queries), of_k, false);
        let mut adding = sum_k.chain();
        adding.start_ab(changed.rows::<64>(first), stage.tiles().rows, true);
        of_q.finish_before::<1>();
        add(&part, dq, number);
        adding.finish();
        with_queries.release(stage);
    }
    // Both have read all keys.
    named_barrier_sync(BOTH, 256);
    sum_k.scale_rows([scale, scale]);
    let place = Place { sequence, head, row: key };
    store_sums::<T, D>(&sum_k, dk, mine, place, shape.keys, alone);
    store_sums::<T, D>(&sum_v, dv, mine_v, place, shape.keys, alone);
    if thread == 0 {
        bulk_wait_read::<0>();
    }
}

/// The gradients `dk` and `dv`, and parts of those of `q`, added to `dq`. `of_o` are the results' gradients; `numbers` has two lines for
/// each head of queries, of the logarithms of sums of weights and of the means of gradients, as `attention_means` writes them.
///
/// A block has 128 keys of a head; two warpgroups take 64 of them each, and one thread starts the copies. `D` is 64 with 128 `QUERIES`
/// of a step, or 128 with 64; vectors may be shorter.
#[allow(clippy::too_many_arguments, reason = "inputs, results and sums")]
#[gpu_kernel(warpgroups(240, 240, 24), require(async_wgmma, no_spills))]
pub fn attention_backward<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const QUERIES: usize,
>(
    q: &TensorMap4<T, 1, 1, QUERIES, 64, Swizzle128>,
    k: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    v: &TensorMap4<T, 1, 1, KEYS, 64, Swizzle128>,
    of_o: &TensorMap4<T, 1, 1, QUERIES, 64, Swizzle128>,
    numbers: &TensorMap<f32, 1, QUERIES, Unswizzled>,
    dq: &mut [f32],
    dk: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    dv: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    shape: Shape,
    scale: f32,
) {
    let queries = shared!(Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>);
    let gradients = shared!(Pipeline<Rows<T, QUERIES, D>, STAGES, GROUPS>);
    let keys = shared!(Tile<T, KEYS, D, Panels<KEYS>>);
    let values = shared!(Tile<T, KEYS, D, Panels<KEYS>>);
    let changes = shared!(Stages<T, KEYS, QUERIES, 2, Panels<KEYS>>);
    let full = shared!(Barrier);
    if thread_idx().x == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if warpgroup_id() == GROUPS {
        registers::<24>();
        if thread_idx().x == GROUPS * 128 {
            load::<T, D, QUERIES>(q, k, v, of_o, numbers, queries, gradients, keys, values, full, shape);
        }
    } else {
        registers::<240>();
        differentiate::<T, D, QUERIES>(
            dq, dk, dv, queries, gradients, keys, values, changes, full, shape, scale,
        );
    }
}
