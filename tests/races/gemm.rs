//! The product of `tests/corpus/hopper.rs`, with narrower tiles: each of its fences, waits, counts, phases and arrivals is
//! removed or changed in turn. The simulator reports each change, or the table gives the reason why there is nothing to
//! report.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::simulator::{Executor, Settings};

use crate::changes::{Change, every_change_is_reported};

/// Rows of `c` that a cluster of two blocks computes, 64 by each of two warpgroups of each.
const ROWS: usize = 256;
const COLS: usize = 64;
const DEPTH: usize = 64;
const STAGES: usize = 4;
const BOX: usize = 128;
const HALF: usize = 32;
const STAGE: u32 = ((BOX + COLS) * DEPTH * size_of::<bf16>()) as u32;
/// Columns that are staged at a time.
const PART: usize = 16;

/// Starts to add 64 rows of `a` by `b`, 128 bytes of each.
#[gpu_fn]
fn start(sums: &mut [[f32; 4]; 8], a: &bf16, b: &bf16, m: u32, first: bool) {
    let (left, right) = (matrix_descriptor(a, 16, 1024, 1), matrix_descriptor(b, 16, 1024, 1));
    if m != 1 && (m != 2 || first) {
        wgmma_fence();
    }
    #[unroll]
    for k in 0..4u64 {
        wgmma::<bf16, _, false, false>(sums, left + 2 * k, right + 2 * k, true);
    }
    if m != 3 {
        wgmma_commit();
    }
}

/// Two elements in a register.
#[gpu_fn]
fn pair(low: f32, high: f32) -> u32 {
    bf16::from_f32(low).to_bits() as u32 | (bf16::from_f32(high).to_bits() as u32) << 16
}

#[gpu_kernel(launch_bounds(384, 1), cluster(2))]
fn gemm(
    a: &TensorMap<bf16, BOX, DEPTH, Swizzle128>,
    b: &TensorMap<bf16, HALF, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<bf16, 64, PART, Swizzle32>,
    steps: u32,
    tiles: u32,
    #[comptime] m: u32,
) {
    let rows = shared!(Stages<bf16, BOX, DEPTH, STAGES, Swizzle128>);
    let cols = shared!(Stages<bf16, COLS, DEPTH, STAGES, Swizzle128>);
    let out = shared!(Stages<bf16, 64, PART, 4, Swizzle32>);
    let full = shared!([Barrier; STAGES]);
    let empty = shared!([Barrier; STAGES]);
    let t = thread_idx().x;
    if t == 0 {
        for stage in 0..STAGES {
            full[stage].init(if m == 4 { 2 } else { 1 });
            empty[stage].init(if m == 5 { 3 } else { if m == 6 { 5 } else { 4 } });
        }
        if m != 7 {
            fence_mbarrier_init();
        }
    }
    if m == 8 {
        sync_threads();
    } else if m != 9 {
        cluster_sync();
    }

    let rank = cluster_block_rank();
    let group = warpgroup_id() as usize;
    let mut step = 0usize;
    if group == 2 {
        if m == 11 {
            setmaxnreg_dec::<48>();
        } else if m != 10 {
            setmaxnreg_dec::<40>();
        }
        if t == 256 {
            let mut free = if m == 14 { Phase::first() } else { Phase::passed() };
            let mut back = false;
            for tile in 0..tiles {
                let row = tile * ROWS as u32;
                for s in 0..steps {
                    let stage = step % STAGES;
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    if m != 15 && (m != 16 || step >= STAGES) {
                        empty[stage].wait_for(free);
                    }
                    if m == 18 {
                        full[stage].expect(STAGE - 4096);
                    } else if m == 19 {
                        full[stage].expect(STAGE + 4096);
                    } else if m == 20 {
                        mbarrier_expect_tx(&full[stage], STAGE);
                    } else if m == 21 {
                        full[stage].arrive();
                    } else {
                        full[stage].expect(STAGE);
                    }
                    if m != 22 || s != 1 {
                        let counter = if m == 23 { (stage + 1) % STAGES } else { stage };
                        tma_load(rows.tile(stage), a, [row + rank * BOX as u32, k], &full[counter]);
                    }
                    let part = if m == 26 { 0 } else { rank as usize * HALF };
                    let half = cols.tile(stage).rows::<HALF>(part);
                    let blocks = if m == 25 { 1 << rank } else { 0b11 };
                    if m != 24 || s != 1 {
                        tma_load_multicast(half, b, [rank * HALF as u32, k], &full[stage], blocks);
                    }
                    if stage == STAGES - 1 && m != 17 {
                        free = free.next();
                    }
                    if m != 27 {
                        step += 1;
                    }
                }
                back = !back;
            }
        }
    } else {
        if m == 13 {
            setmaxnreg_inc::<240>();
        } else if m != 12 {
            setmaxnreg_inc::<232>();
        }
        let place = t % 128;
        let mut filled = if m == 30 { Phase::passed() } else { Phase::first() };
        for tile in 0..tiles {
            let mut sums = [[0.0f32; 4]; 8];
            for s in 0..steps {
                let stage = step % STAGES;
                if m != 28 {
                    full[stage].wait_for(filled);
                }
                if m == 34 && place < 2 {
                    empty[stage].arrive_at(place);
                }
                start(&mut sums, &rows.tile(stage)[(group * 64, 0)], &cols.tile(stage)[(0, 0)], m, s == 0);
                if m == 31 {
                    wgmma_wait::<2>();
                } else if m != 32 {
                    wgmma_wait::<1>();
                }
                let behind = (step + STAGES - 1) % STAGES;
                if m == 33 {
                    if place < 2 {
                        empty[stage].arrive_at(place);
                    }
                } else if place < 2 && s > 0 && m != 34 && m != 35 {
                    if m == 36 {
                        empty[behind].arrive_at(rank);
                    } else if m == 37 {
                        empty[behind].publish_at(place);
                    } else if m != 38 || place == 0 {
                        empty[behind].arrive_at(place);
                    }
                }
                if stage == STAGES - 1 && m != 29 {
                    filled = filled.next();
                }
                step += 1;
            }
            if m != 39 {
                wgmma_wait::<0>();
            }
            if place < 2 && m != 33 && m != 34 && m != 40 {
                empty[(step + STAGES - 1) % STAGES].arrive_at(place);
            }
            let row = tile * ROWS as u32;
            #[unroll]
            for part in 0..4usize {
                let buffer = if m == 51 { 0 } else { part % 2 };
                let staged = out.tile(if m == 52 { part % 2 } else { group * 2 + buffer });
                if place == 0 {
                    if m == 42 {
                        bulk_wait_read::<2>();
                    } else if m != 41 {
                        bulk_wait_read::<1>();
                    }
                }
                let id = if m == 49 { 1 } else { 1 + group as u32 };
                if m != 43 {
                    named_barrier_sync(id, if m == 50 { 256 } else { 128 });
                }
                if m == 46 {
                    fence_proxy_async();
                }
                let (left, right) = (sums[part * 2], sums[part * 2 + 1]);
                let halves = [
                    pair(left[0], left[1]),
                    pair(left[2], left[3]),
                    pair(right[0], right[1]),
                    pair(right[2], right[3]),
                ];
                let mut staged_here = staged;
                let (of_part, across) = (place / 32 * 16 + place % 16, place % 32 / 16 * 8);
                stmatrix_x4(&mut staged_here[(of_part as usize, across as usize)], halves);
                if m != 45 && m != 46 && m != 47 {
                    fence_proxy_async();
                }
                if m != 44 {
                    named_barrier_sync(id, if m == 50 { 256 } else { 128 });
                }
                if m == 47 && place != 0 {
                    fence_proxy_async();
                }
                if place == if m == 53 && part == 1 { 32 } else { 0 } {
                    let of_group = rank * BOX as u32 + group as u32 * 64;
                    tma_store(c, [row + of_group, (part * PART) as u32], staged);
                    if m != 48 {
                        bulk_commit();
                    }
                }
            }
        }
        if m == 53 && place == 32 || place == 0 && m != 54 {
            bulk_wait_read::<0>();
        }
    }
    if m != 55 {
        cluster_sync();
    }
}

/// The changes, by number.
const CHANGES: [Change; 55] = [
    (1, "no fence of the registers before products"),
    (2, "no such fence but before the first product of a tile"),
    (3, "products are not committed"),
    (4, "`full` counts two arrivals"),
    (5, "`empty` counts three arrivals of four"),
    (6, "`empty` counts five arrivals"),
    (7, "no fence of the barriers"),
    (8, "the block alone meets after they are made"),
    (9, "nobody meets after they are made"),
    (10, "the producer keeps its registers"),
    (11, "it gives too few back"),
    (12, "the consumers take none"),
    (13, "they take too many"),
    (14, "the producer begins with the first phase"),
    (15, "it does not wait for empty stages"),
    (16, "it does not in the first round"),
    (17, "it waits for the same phase in every round"),
    (18, "too few bytes are expected"),
    (19, "too many are"),
    (20, "bytes are expected without an arrival"),
    (21, "an arrival expects no bytes"),
    (22, "a tile of `a` is not loaded"),
    (23, "it is counted by another stage's barrier"),
    (24, "a tile of `b` is not loaded"),
    (25, "it is loaded for the own block alone"),
    (26, "both blocks load to one half"),
    (27, "the producer stays at the first stage"),
    (28, "the consumers do not wait for full stages"),
    (29, "they wait for the same phase in every round"),
    (30, "they begin with the phase before the first"),
    (31, "they leave a product more under way"),
    (32, "they do not wait for products before they give back"),
    (33, "they give the stage back that they still multiply"),
    (34, "they give it back before they multiply it"),
    (35, "they give back the last stage of a tile alone"),
    (36, "they give back to their own block alone"),
    (37, "they publish what they wrote, too"),
    (38, "they give back to the first block alone"),
    (39, "they do not wait for the last products"),
    (40, "they do not give back the last stage of a tile"),
    (41, "staged tiles are written while they are stored"),
    (42, "a store more is left under way"),
    (43, "threads do not meet before they stage"),
    (44, "they do not meet before the store"),
    (45, "no fence between the proxies"),
    (46, "the fence stands before the writes"),
    (47, "it stands behind the barrier"),
    (48, "stores are not committed"),
    (49, "both warpgroups meet at one barrier"),
    (50, "each waits for the threads of both"),
    (51, "one buffer is staged at a time"),
    (52, "both warpgroups stage in the same buffers"),
    (53, "another thread stores, and waits for itself"),
    (54, "stores are not waited for at the end"),
    (55, "a block may end before the other"),
];

/// Changes that make no difference, and the reasons.
const REDUNDANT: [Change; 4] = [
    (
        2,
        "products of one shape that follow each other on the same registers need no fence between them: PTX ISA, `wgmma.fence`",
    ),
    (
        12,
        "the registers are the compiler's to use: without it they spill, which `require(no_spills)` refuses",
    ),
    (16, "a new barrier counts as past the phase before its first: the wait for it returns at once"),
    (37, "it orders more, and costs a fence of the device"),
];

/// Launches the changed kernel, and returns its result.
fn run(m: u32, seed: u64) -> warpsmith::Result<Vec<f32>> {
    let settings = Settings { executor: Executor::Interpreter, seed, ..Settings::default() };
    let device = Device::simulator_with(settings);
    let (tiles, steps) = (2usize, 5usize);
    let (height, depth) = (tiles * ROWS, steps * DEPTH);
    let numbers = |count: usize, by: usize| -> Vec<bf16> {
        (0..count).map(|i| bf16::from_f32((i * by % 5) as f32 - 2.0)).collect()
    };
    let (a, b) = (device.upload(&numbers(height * depth, 3))?, device.upload(&numbers(COLS * depth, 7))?);
    let mut c = device.upload(&vec![bf16::ZERO; height * COLS])?;
    let (from_a, from_b) = (a.tensor_map(height, depth)?, b.tensor_map(COLS, depth)?);
    let mut to = c.tensor_map_mut(height, COLS)?;
    gemm(&from_a, &from_b, &mut to, steps as u32, tiles as u32, m).grid(2).block(384).launch(&device)?;
    Ok(device.download(&c)?.into_iter().map(|sum| sum.to_f32()).collect())
}

#[test]
fn every_change_of_the_product_is_reported_or_changes_nothing() {
    let right = run(0, 0).expect("the product is right");
    let depth = 5 * DEPTH;
    for (i, sum) in right.iter().enumerate().step_by(97) {
        let at = |row: usize, by: usize, k: usize| ((row * depth + k) * by % 5) as f32 - 2.0;
        let wanted: f32 = (0..depth).map(|k| at(i / COLS, 3, k) * at(i % COLS, 7, k)).sum();
        assert_eq!(*sum, bf16::from_f32(wanted).to_f32(), "{i}");
    }
    every_change_is_reported("gemm", &CHANGES, [&REDUNDANT, &[]], &right, run);
}
