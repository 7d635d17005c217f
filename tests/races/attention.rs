//! The attention of `tests/corpus/attention.rs`, with fewer keys in a step: every fence, wait, count, phase and arrive of it and of its
//! pipelines is removed or changed in turn, and each change is reported, or it is known why nothing is to be reported.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::simulator::{Executor, Settings};
use warpsmith::tensor::{Accumulator, across_rows};

use crate::changes::{Change, every_change_is_reported};

/// Queries of a block, 64 of each of two warpgroups.
const ROWS: usize = 128;
/// Keys of a step.
const KEYS: usize = 32;
/// Columns of a head.
const D: usize = 64;
const STAGES: usize = 2;
/// Steps of a tile.
const STEPS: u32 = 3;
/// Tiles of queries.
const TILES: u32 = 2;
/// Bytes of a stage, of keys or of values.
const STAGE: u32 = (KEYS * D * size_of::<bf16>()) as u32;
const QUERIES: u32 = (ROWS * D * size_of::<bf16>()) as u32;
const TURN: u32 = 1;
const GROUP: u32 = 3;

/// The state of a thread's two rows so far.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows {
    top: [f32; 2],
    sum: [f32; 2],
}

#[gpu_impl]
impl Rows {
    /// Replaces scores by their weights; by what former weights are to be multiplied.
    fn weigh(&mut self, scores: &mut Accumulator<f32, KEYS>) -> [f32; 2] {
        let most = scores.row_max();
        let mut shrink = [0.0f32; 2];
        #[unroll]
        for i in 0..2usize {
            let top = self.top[i].max(most[i]);
            shrink[i] = fast_exp2(self.top[i] - top);
            self.top[i] = top;
            self.sum[i] *= shrink[i];
        }
        scores.map_rows(self.top, |score, top| fast_exp2(score - top));
        self.sum = scores.fold_rows(self.sum, |sum, weight| sum + weight);
        shrink
    }
}

/// A producer's work on a stage: waits until it is free, starts the copies, and announces the number of bytes.
#[gpu_fn]
fn fill(
    ring: Stages<bf16, KEYS, D, STAGES, Swizzle128>,
    full: &[Barrier],
    empty: &[Barrier],
    map: &TensorMap<bf16, KEYS, D, Swizzle128>,
    step: u32,
    row: u32,
    m: u32,
) {
    let stage = step as usize % STAGES;
    let mut free = Phase::passed();
    if m == 12 {
        free = Phase::first();
    }
    if m != 13 {
        for _ in 0..step / STAGES as u32 {
            free = free.next();
        }
    }
    if m != 10 && (m != 11 || step >= STAGES as u32) {
        empty[stage].wait_for(free);
    }
    if m != 14 || step != 1 {
        let counter = if m == 15 { (stage + 1) % STAGES } else { stage };
        tma_load(ring.tile(stage), map, [row, 0], &full[counter]);
    }
    if m == 16 {
        full[stage].expect(STAGE - 1024);
    } else if m == 17 {
        full[stage].expect(STAGE + 1024);
    } else if m == 18 {
        mbarrier_expect_tx(&full[stage], STAGE);
    } else if m == 19 {
        full[stage].arrive();
    } else {
        full[stage].expect(STAGE);
    }
}

/// The phase in which the `step`-th use of a stage is filled.
#[gpu_fn]
fn filled(step: u32, m: u32) -> Phase {
    let mut phase = if m == 32 { Phase::passed() } else { Phase::first() };
    if m != 33 {
        for _ in 0..step / STAGES as u32 {
            phase = phase.next();
        }
    }
    phase
}

/// A warpgroup gives a stage back.
#[gpu_fn]
fn give_back(empty: &[Barrier], step: u32, place: u32, m: u32) {
    if m == 38 || place == 0 && m != 39 {
        empty[step as usize % STAGES].arrive();
    }
}

/// `out = softmax(q * kᵀ) * v` in powers of two, of `TILES` tiles of queries by one block.
#[gpu_kernel(launch_bounds(384, 1), allow(divergent_barriers))]
fn attention(
    q: &TensorMap<bf16, ROWS, D, Swizzle128>,
    k: &TensorMap<bf16, KEYS, D, Swizzle128>,
    v: &TensorMap<bf16, KEYS, D, Swizzle128>,
    o: &mut TensorMapMut<bf16, 64, D, Swizzle128>,
    next: &mut [u32],
    #[comptime] m: u32,
) {
    let keys = shared!(Stages<bf16, KEYS, D, STAGES, Swizzle128>);
    let values = shared!(Stages<bf16, KEYS, D, STAGES, Swizzle128>);
    let queries = shared!(Tile<bf16, ROWS, D, Swizzle128>);
    let weighted = shared!(Tile<bf16, ROWS, D, Swizzle128>);
    let mut tile_of = shared!([u32; 1]);
    let keys_full = shared!([Barrier; STAGES]);
    let keys_empty = shared!([Barrier; STAGES]);
    let values_full = shared!([Barrier; STAGES]);
    let values_empty = shared!([Barrier; STAGES]);
    let full = shared!(Barrier);
    let empty = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        for stage in 0..STAGES {
            keys_full[stage].init(if m == 1 { 2 } else { 1 });
            keys_empty[stage].init(if m == 2 {
                1
            } else if m == 3 {
                3
            } else {
                if m == 38 { 256 } else { 2 }
            });
            values_full[stage].init(1);
            values_empty[stage].init(if m == 4 {
                1
            } else if m == 38 {
                256
            } else {
                2
            });
        }
        full.init(if m == 5 { 2 } else { 1 });
        empty.init(if m == 6 {
            128
        } else if m == 7 {
            257
        } else {
            256
        });
        if m != 8 {
            fence_mbarrier_init();
        }
    }
    if m != 9 {
        sync_threads();
    }
    let group = warpgroup_id();
    if group == 2 {
        if t == 256 {
            let mut free = if m == 22 { Phase::first() } else { Phase::passed() };
            let mut step = 0u32;
            loop {
                let tile = atomic_add(&mut next[0], 1);
                if m != 20 && (m != 21 || tile > 0) {
                    empty.wait_for(free);
                }
                if m != 23 {
                    free = free.next();
                }
                if m == 24 {
                    full.expect(if tile >= TILES { 0 } else { QUERIES });
                }
                tile_of[0] = tile;
                if tile >= TILES {
                    if m != 24 {
                        full.arrive();
                    }
                    break;
                }
                if m == 25 {
                    full.expect(QUERIES - 1024);
                } else if m == 26 {
                    full.arrive();
                } else if m != 24 {
                    full.expect(QUERIES);
                }
                if m != 27 {
                    tma_load(queries, q, [tile * ROWS as u32, 0], full);
                }
                for s in (0..STEPS).rev() {
                    fill(keys, &keys_full, &keys_empty, k, step, s * KEYS as u32, m);
                    fill(
                        values,
                        &values_full,
                        &values_empty,
                        v,
                        step,
                        s * KEYS as u32,
                        if m == 28 { 10 } else { 0 },
                    );
                    step += 1;
                }
            }
        }
    } else {
        let place = t % 128;
        let mine = queries.rows::<64>(group as usize * 64);
        let staged = weighted.rows::<64>(group as usize * 64);
        let mut turn_of = if m == 30 { Phase::passed() } else { Phase::first() };
        let mut step = 0u32;
        if group == 1 && m != 40 {
            named_barrier_arrive(TURN, 256);
        }
        loop {
            if m != 29 {
                full.wait_for(turn_of);
            }
            if m != 31 {
                turn_of = turn_of.next();
            }
            let tile = tile_of[0];
            if tile >= TILES {
                break;
            }
            let mut rows = Rows { top: [f32::NEG_INFINITY; 2], sum: [0.0; 2] };
            let mut out = Accumulator::<f32, D>::zero();
            let mut scores = Accumulator::<f32, KEYS>::zero();
            if m != 34 {
                keys_full[step as usize % STAGES].wait_for(filled(step, m));
            }
            if m == 35 {
                give_back(&keys_empty, step, place, m);
            }
            scores.mma_abt(mine, keys.tile(step as usize), false);
            if m != 35 {
                give_back(&keys_empty, step, place, m);
            }
            let mut shrink = rows.weigh(&mut scores);
            let mut weights = scores.to_operand::<bf16>();
            for _ in 1..STEPS {
                keys_full[(step + 1) as usize % STAGES].wait_for(filled(step + 1, m));
                if m != 41 {
                    named_barrier_sync(TURN + group, 256);
                }
                let mut scoring = scores.chain();
                scoring.start_abt(mine, keys.tile(step as usize + 1), false);
                out.scale_rows(shrink);
                if m != 36 {
                    values_full[step as usize % STAGES].wait_for(filled(step, 0));
                }
                let mut adding = out.chain();
                adding.start_rs_ab(&weights, values.tile(step as usize), true);
                if m != 42 {
                    named_barrier_arrive(if m == 43 { TURN + group } else { TURN + 1 - group }, 256);
                }
                if m == 44 {
                    give_back(&keys_empty, step + 1, place, m);
                }
                scoring.finish_before::<1>();
                if m != 44 {
                    give_back(&keys_empty, step + 1, place, m);
                }
                if m == 45 {
                    give_back(&values_empty, step, place, m);
                }
                shrink = rows.weigh(&mut scores);
                adding.finish();
                if m != 45 {
                    give_back(&values_empty, step, place, m);
                }
                weights = scores.to_operand::<bf16>();
                step += 1;
            }
            if m != 46 && (m != 47 || place < 127) {
                empty.arrive();
            }
            out.scale_rows(shrink);
            if m != 37 {
                values_full[step as usize % STAGES].wait_for(filled(step, 0));
            }
            let mut adding = out.chain();
            adding.start_rs_ab(&weights, values.tile(step as usize), true);
            if m == 48 {
                give_back(&values_empty, step, place, m);
            }
            adding.finish();
            if m != 48 {
                give_back(&values_empty, step, place, m);
            }
            step += 1;

            let sum = across_rows(rows.sum, |a, b| a + b);
            out.scale_rows([1.0 / sum[0], 1.0 / sum[1]]);
            if place == 0 && m != 49 {
                if m == 50 {
                    bulk_wait_read::<1>();
                } else {
                    bulk_wait_read::<0>();
                }
            }
            let own = if m == 51 { GROUP } else { GROUP + group };
            if m != 52 {
                named_barrier_sync(own, 128);
            }
            if m == 53 {
                fence_proxy_async();
            }
            out.store_tile(if m == 54 { weighted.rows::<64>(0) } else { staged }, 0, |x| x.cast::<bf16>());
            if m != 53 && m != 55 && m != 56 {
                fence_proxy_async();
            }
            if m != 57 {
                named_barrier_sync(own, 128);
            }
            if m == 56 && place != 0 {
                fence_proxy_async();
            }
            if place == 0 {
                tma_store(o, [tile * ROWS as u32 + group * 64, 0], staged);
                if m != 58 {
                    bulk_commit();
                }
            }
        }
        if group == 0 && m != 59 {
            named_barrier_sync(TURN, 256);
        }
        if place == 0 && m != 60 {
            bulk_wait_read::<0>();
        }
    }
}

/// The changes, by number.
const CHANGES: [Change; 60] = [
    (1, "`full` of keys counts two arrivals"),
    (2, "`empty` of keys counts one arrival of two"),
    (3, "`empty` of keys counts three arrivals"),
    (4, "`empty` of values counts one arrival of two"),
    (5, "`full` of queries counts two arrivals"),
    (6, "`empty` of queries counts the half of the threads"),
    (7, "`empty` of queries counts one thread more"),
    (8, "no fence of the barriers"),
    (9, "nobody meets after they are made"),
    (10, "the producer does not wait for empty stages of keys"),
    (11, "it does not in the first round"),
    (12, "it begins with the first phase"),
    (13, "it waits for the same phase in every round"),
    (14, "a tile of keys is not loaded"),
    (15, "it is counted by another stage's barrier"),
    (16, "too few bytes are expected"),
    (17, "too many are"),
    (18, "bytes are expected without an arrival"),
    (19, "an arrival expects no bytes"),
    (20, "the producer does not wait until queries have been read"),
    (21, "it does not for the first tile"),
    (22, "it waits for the first phase of that"),
    (23, "it waits for the same phase before every tile"),
    (24, "it arrives before it writes the number of the tile"),
    (25, "too few bytes of queries are expected"),
    (26, "none are"),
    (27, "queries are not loaded"),
    (28, "the producer does not wait for empty stages of values"),
    (29, "nobody waits for queries"),
    (30, "they wait for the phase before the first"),
    (31, "they wait for the same phase of each tile"),
    (32, "the first keys are waited for in the phase before"),
    (33, "keys are waited for in the same phase in every round"),
    (34, "the first keys of a tile are not waited for"),
    (35, "they are given back before they are multiplied"),
    (36, "values are not waited for"),
    (37, "the last values of a tile are not"),
    (38, "all threads give a stage back, and are counted"),
    (39, "no stage is given back"),
    (40, "no warpgroup is first"),
    (41, "a warpgroup does not wait for its turn"),
    (42, "it does not give the turn to the other"),
    (43, "it gives the turn to itself"),
    (44, "keys are given back while they are multiplied"),
    (45, "values are"),
    (46, "queries are never given back"),
    (47, "a thread of each warpgroup does not give them back"),
    (48, "the last values of a tile are given back while they are multiplied"),
    (49, "the staged tile is written while it is stored"),
    (50, "a store is left under way"),
    (51, "both warpgroups stage at one barrier"),
    (52, "threads do not meet before they stage"),
    (53, "the fence stands before the writes"),
    (54, "both warpgroups stage in one place"),
    (55, "no fence between the proxies"),
    (56, "it stands behind the barrier, and the storing thread has none"),
    (57, "threads do not meet before the store"),
    (58, "stores are not committed"),
    (59, "nobody takes the last turn"),
    (60, "stores are not waited for at the end"),
];

/// Changes that are none, and why.
const REDUNDANT: [Change; 6] = [
    (11, "a new barrier counts as past the phase before its first: the wait for it returns at once"),
    (21, "as 11"),
    (38, "more threads tell the same"),
    (
        41,
        "turns order no memory: each warpgroup has its own queries, sums and staged tile, and waits for the stages that both read",
    ),
    (
        44,
        "before these keys are replaced, the producer waits for the values of the step before, which the same thread gives back \
         after it has waited for the product of the keys too",
    ),
    (
        59,
        "turns order no memory, and a block may end with arrivals at a named barrier that nobody has waited for",
    ),
];

/// Changes that harm in some orders of threads alone, and why.
const BY_ORDER: [Change; 1] = [(
    51,
    "a barrier of 128 threads that two warpgroups use is right as long as they do not meet there at the same time",
)];

/// Launches the changed kernel and returns its results.
fn run(m: u32, seed: u64) -> warpsmith::Result<Vec<f32>> {
    let settings = Settings { executor: Executor::Interpreter, seed, ..Settings::default() };
    let device = Device::simulator_with(settings);
    let (rows, tokens) = (TILES as usize * ROWS, STEPS as usize * KEYS);
    let numbers = |count: usize, by: usize| -> Vec<bf16> {
        (0..count * D).map(|i| bf16::from_f32(((i * by + i / D) % 5) as f32 / 8.0 - 0.25)).collect()
    };
    let (q, k, v) = (
        device.upload(&numbers(rows, 3))?,
        device.upload(&numbers(tokens, 7))?,
        device.upload(&numbers(tokens, 2))?,
    );
    let mut o = device.upload(&vec![bf16::ZERO; rows * D])?;
    let mut next = device.upload(&[0u32])?;
    let (from_q, from_k, from_v) =
        (q.tensor_map(rows, D)?, k.tensor_map(tokens, D)?, v.tensor_map(tokens, D)?);
    let mut to = o.tensor_map_mut(rows, D)?;
    attention(&from_q, &from_k, &from_v, &mut to, &mut next, m).grid(1).block(384).launch(&device)?;
    Ok(device.download(&o)?.into_iter().map(|x| x.to_f32()).collect())
}

#[test]
fn every_change_of_attention_is_reported_or_changes_nothing() {
    let right = run(0, 0).expect("attention is right");
    let value = |i: usize, by: usize| f64::from(((i * by + i / D) % 5) as f32 / 8.0 - 0.25);
    for row in (0..TILES as usize * ROWS).step_by(37) {
        let weight =
            |key: usize| (0..D).map(|c| value(row * D + c, 3) * value(key * D + c, 7)).sum::<f64>().exp2();
        let weights: Vec<f64> = (0..STEPS as usize * KEYS).map(weight).collect();
        for col in 0..D {
            let sum: f64 =
                weights.iter().enumerate().map(|(key, weight)| weight * value(key * D + col, 2)).sum();
            let (wanted, got) = (sum / weights.iter().sum::<f64>(), f64::from(right[row * D + col]));
            assert!((got - wanted).abs() < 2e-3, "row {row}, column {col}: {got}, not {wanted}");
        }
    }
    every_change_is_reported("attention", &CHANGES, [&REDUNDANT, &BY_ORDER], &right, run);
}
