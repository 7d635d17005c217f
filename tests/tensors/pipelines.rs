//! Pipelines: stages that are filled and emptied in turn, by one block and by a cluster, and mistakes in their use.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::simulator::{Executor, Settings};
use warpsmith::tensor::Accumulator;

use super::everywhere;

/// Two tiles of different size and alignment.
#[derive(Stage)]
struct Both<'a> {
    bytes: Tile<'a, u8, 3, 48, Unswizzled>,
    words: Tile<'a, f32, 8, 32, Swizzle128<4>>,
}

/// The sums of each column of `x` and of `y` over all their rows, which come by boxes of 3 and 8 rows.
#[gpu_kernel]
fn column_sums(
    x: &TensorMap<u8, 3, 48, Unswizzled>,
    y: &TensorMap<f32, 8, 32, Swizzle128<4>>,
    turns: u32,
    of_x: &mut [u32],
    of_y: &mut [f32],
) {
    let ring = shared!(Pipeline<Both, 3>);
    if warpgroup_id() == 1 {
        if thread_idx().x == 128 {
            let mut load = ring.producer();
            for turn in 0..turns {
                let slot = load.acquire();
                slot.load(slot.tiles().bytes, x, [turn * 3, 0]);
                slot.load(slot.tiles().words, y, [turn * 8, 0]);
                load.commit(slot);
            }
            load.drain();
        }
    } else {
        let t = thread_idx().x as usize;
        let mut read = ring.consumer();
        let (mut bytes, mut words) = (0, 0.0);
        for _ in 0..turns {
            let stage = read.wait();
            let tiles = stage.tiles();
            if t < 48 {
                for row in 0..3usize {
                    bytes += tiles.bytes[(row, t)] as u32;
                }
            }
            if t < 32 {
                for row in 0..8usize {
                    words += tiles.words[(row, t)];
                }
            }
            named_barrier_sync(1, 128);
            read.release(stage);
        }
        if t < 48 {
            of_x[t] = bytes;
        }
        if t < 32 {
            of_y[t] = words;
        }
    }
}

#[test]
fn tiles_come_in_turns() {
    let turns = 7;
    let x: Vec<u8> = (0..turns * 3 * 48).map(|i| (i * 31 % 251) as u8).collect();
    let y: Vec<f32> = (0..turns * 8 * 32).map(|i| (i * 17 % 97) as f32).collect();
    everywhere::<column_sums>(&(), |device| {
        let (a, b) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
        let (mut of_x, mut of_y) =
            (device.upload(&[0u32; 48]).unwrap(), device.upload(&[0.0f32; 32]).unwrap());
        let (from_x, from_y) = (a.tensor_map(turns * 3, 48).unwrap(), b.tensor_map(turns * 8, 32).unwrap());
        column_sums(from_x, from_y, turns as u32, &mut of_x, &mut of_y)
            .grid(1)
            .block(256)
            .launch(device)
            .unwrap();
        for (col, sum) in device.download(&of_x).unwrap().into_iter().enumerate() {
            assert_eq!(sum, (0..turns * 3).map(|row| u32::from(x[row * 48 + col])).sum::<u32>());
        }
        for (col, sum) in device.download(&of_y).unwrap().into_iter().enumerate() {
            assert_eq!(sum, (0..turns * 8).map(|row| y[row * 32 + col]).sum::<f32>());
        }
    });
}

/// A tile of either operand.
#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, 64, 64, Swizzle128>,
    b: Tile<'a, bf16, 32, 64, Swizzle128>,
}

/// `c = a * bᵀ` by a cluster of two blocks, 64 rows of `a` and all 32 of `b` each, of which one loads half for both.
#[gpu_kernel(cluster(2), launch_bounds(256, 1))]
fn by_a_cluster(
    a: &TensorMap<bf16, 64, 64, Swizzle128>,
    b: &TensorMap<bf16, 16, 64, Swizzle128>,
    steps: u32,
    c: ViewMut2<f32>,
) {
    let ring = shared!(Pipeline<Step, 2, 1, 2>);
    let rank = cluster_block_rank();
    if warpgroup_id() == 1 {
        if thread_idx().x == 128 {
            let mut load = ring.producer();
            for s in 0..steps {
                let slot = load.acquire();
                slot.load_hint(slot.tiles().a, a, [rank * 64, s * 64], CachePolicy::evict_first());
                let half = slot.tiles().b.rows::<16>(rank as usize * 16);
                slot.load_multicast_hint(half, b, [rank * 16, s * 64], 0b11, CachePolicy::evict_last());
                load.commit(slot);
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sums = Accumulator::<f32, 32>::zero();
        let mut chain = sums.chain();
        for s in 0..steps {
            let stage = math.wait();
            chain.start_abt(stage.tiles().a, stage.tiles().b, s > 0);
            math.release_behind(&mut chain, stage);
        }
        math.finish(chain);
        sums.store(c, rank as usize * 64, 0, |sum| sum);
    }
    cluster_sync();
}

#[test]
fn a_cluster_shares_what_it_loads() {
    let steps = 5;
    let k = steps * 64;
    let value = |i: usize| ((i * 7 + i / 13) % 5) as f32 - 2.0;
    let numbers = |count: usize| -> Vec<bf16> { (0..count).map(|i| bf16::from_f32(value(i))).collect() };
    everywhere::<by_a_cluster>(&(), |device| {
        let (a, b) = (device.upload(&numbers(128 * k)).unwrap(), device.upload(&numbers(32 * k)).unwrap());
        let mut c = device.upload(&vec![f32::NAN; 128 * 32]).unwrap();
        let (from_a, from_b) = (a.tensor_map(128, k).unwrap(), b.tensor_map(32, k).unwrap());
        let to = c.view2_mut(128, 32).unwrap();
        by_a_cluster(from_a, from_b, steps as u32, to).grid(2).block(256).launch(device).unwrap();
        for (i, sum) in device.download(&c).unwrap().into_iter().enumerate() {
            let (m, n) = (i / 32, i % 32);
            assert_eq!(sum, (0..k).map(|j| value(m * k + j) * value(n * k + j)).sum::<f32>(), "{m} {n}");
        }
    });
}

/// A pipeline of one tile that is used wrongly, as `mistake` says.
#[gpu_kernel]
fn wrong(mistake: u32, x: &TensorMap<bf16, 64, 64, Swizzle128>, y: &mut [f32]) {
    let ring = shared!(Pipeline<One, 2>);
    let t = thread_idx().x;
    if warpgroup_id() == 1 {
        if t == 128 {
            let mut load = ring.producer();
            for s in 0..4u32 {
                let slot = load.acquire();
                if mistake != 1 || s != 2 {
                    slot.load(slot.tiles().a, x, [0, 0]);
                }
                load.commit(slot);
            }
            load.drain();
        }
    } else {
        let mut math = ring.consumer();
        let mut sum = 0.0;
        for _ in 0..4u32 {
            let stage = math.wait();
            sum += stage.tiles().a[(t as usize % 64, 0usize)].to_f32();
            if mistake != 2 {
                named_barrier_sync(1, 128);
            }
            if mistake != 3 {
                math.release(stage);
            }
        }
        y[t] = sum;
    }
}

/// A tile.
#[derive(Stage)]
struct One<'a> {
    a: Tile<'a, bf16, 64, 64, Swizzle128>,
}

#[test]
fn mistakes_that_types_do_not_see_are_found() {
    let outcome = |mistake: u32| {
        let device = warpsmith::Device::simulator();
        let x = device.upload(&vec![bf16::ONE; 4096]).unwrap();
        let mut y = device.upload(&[0.0f32; 128]).unwrap();
        let launched =
            wrong(mistake, x.tensor_map(64, 64).unwrap(), &mut y).grid(1).block(256).launch(&device);
        launched.map(|()| device.download(&y).unwrap()).map_err(|error| error.to_string())
    };
    assert!(outcome(0).unwrap().iter().all(|sum| *sum == 4.0));
    for (mistake, wanted) in [
        (1, "8192 expected bytes (copies of 0 bytes were started)"),
        (2, "nothing orders"),
        (3, "1 of 1 arrivals are missing"),
    ] {
        let said = outcome(mistake).expect_err(wanted);
        assert!(said.contains(wanted), "{mistake}: {said}");
    }
}

/// The two blocks of a cluster load half of each tile for both, and end by `drain` alone.
///
/// `how` 1 ends without it, 2 writes the other block's memory behind it, 3 arrives at the other's barrier once more.
#[gpu_kernel(cluster(2))]
fn drained(x: &TensorMap<f32, 8, 32, Unswizzled>, steps: u32, y: &mut [f32], #[comptime] how: u32) {
    let ring = shared!(Pipeline<Whole, 2, 1, 2>);
    let mut kept = shared!([u32; 128]);
    let t = thread_idx().x as usize;
    let rank = cluster_block_rank();
    if warpgroup_id() == 1 {
        if t == 128 {
            let mut load = ring.producer();
            for s in 0..steps {
                let slot = load.acquire();
                let half = slot.tiles().x.rows::<8>(rank as usize * 8);
                slot.load_multicast(half, x, [s * 16 + rank * 8, 0], 0b11);
                load.commit(slot);
            }
            if how != 1 {
                load.drain();
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sum = 0.0;
        for _ in 0..steps {
            let stage = math.wait();
            let tile = stage.tiles().x;
            for row in 0..4usize {
                sum += tile[(t / 32 * 4 + row, t % 32)];
            }
            named_barrier_sync(1, 128);
            math.release(stage); // arrives
        }
        if how == 2 {
            let mut theirs = map_shared_rank(&mut kept, 1 - rank);
            theirs[t] = 1; // writes
        }
        y[rank as usize * 128 + t] = sum;
    }
}

/// A tile of which each block of a cluster loads a half.
#[derive(Stage)]
struct Whole<'a> {
    x: Tile<'a, f32, 16, 32, Unswizzled>,
}

fn run_drained(device: &Device, how: u32) -> Result<Vec<f32>, String> {
    let x: Vec<f32> = (0..5 * 16 * 32).map(|i| (i % 89) as f32).collect();
    let input = device.upload(&x).expect("memory");
    let mut y = device.upload(&[-1.0f32; 256]).expect("memory");
    let launch = drained(input.tensor_map(80, 32).expect("a map"), 5, &mut y, how).grid(2).block(256);
    launch.launch(device).and_then(|()| device.download(&y)).map_err(|fault| fault.to_string())
}

#[test]
fn blocks_of_a_cluster_may_exit_after_drain() {
    everywhere::<drained>(&(0,), |device| {
        let x = |row: usize, col: usize| ((row * 32 + col) % 89) as f32;
        let rows = |t: usize| (0..5).flat_map(move |s| (0..4).map(move |row| s * 16 + t / 32 * 4 + row));
        let want: Vec<f32> = (0..256).map(|t| rows(t % 128).map(|row| x(row, t % 32)).sum()).collect();
        assert_eq!(run_drained(device, 0), Ok(want), "on {}", device.name());
    });
}

#[test]
fn blocks_of_a_cluster_that_exit_before_others_are_done_are_found() {
    let device = Device::simulator();
    let line = |mark: &str| {
        include_str!("pipelines.rs").lines().position(|line| line.ends_with(mark)).expect(mark) + 1
    };
    for (how, mark) in [(1, "// arrives"), (2, "// writes")] {
        let said = run_drained(&device, how).expect_err("a block that may be gone");
        let at = format!("pipelines.rs:{}, and nothing keeps that block from exiting before", line(mark));
        assert!(said.contains(&at), "{how}: {said}, not {at}");
    }
}

/// Faults within methods of a pipeline: `how` says where.
#[gpu_kernel]
fn faulty(x: &TensorMap<f32, 8, 32, Unswizzled>, y: &mut [f32], how: u32) {
    let ring = shared!(Pipeline<Small, 2>);
    let t = thread_idx().x as usize;
    if t == 0 {
        let mut load = ring.producer();
        let slot = load.acquire();
        let column = if how == 0 { 3 } else { 0 };
        slot.load(slot.tiles().x, x, [0, column]); // fault 0
        if how == 1 {
            slot.load_hint(slot.tiles().x, x, [0, 3], CachePolicy::evict_first()); // fault 1
        }
        load.commit(slot);
        if how == 2 {
            let slot = load.acquire();
            load.commit(slot);
            let slot = load.acquire(); // fault 2
            load.commit(slot);
        }
        if how == 3 {
            load.drain(); // fault 3
        }
    }
    if how == 4 {
        let mut math = ring.consumer();
        let stage = math.wait();
        math.release(stage);
        let stage = math.wait(); // fault 4
        y[t] = stage.tiles().x[(0, 0)];
        math.release(stage);
    }
}

/// A small tile.
#[derive(Stage)]
struct Small<'a> {
    x: Tile<'a, f32, 8, 32, Unswizzled>,
}

#[test]
fn faults_within_a_pipeline_are_at_the_users_line() {
    let executors = [Executor::Twin, Executor::Interpreter, Executor::Printed];
    for (executor, how) in executors.into_iter().flat_map(|executor| (0..5).map(move |how| (executor, how))) {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let x = device.upload(&[0.0f32; 8 * 64]).expect("memory");
        let mut y = device.upload(&[0.0f32; 32]).expect("memory");
        let launch = faulty(x.tensor_map(8, 64).expect("a map"), &mut y, how).grid(1).block(32);
        let said = launch.launch(&device).expect_err("a fault").to_string();
        let mark = format!("// fault {how}");
        let line =
            include_str!("pipelines.rs").lines().position(|line| line.ends_with(&mark)).expect("marked") + 1;
        assert!(said.contains(&format!("pipelines.rs:{line}")), "{executor:?}, {how}: {said}");
        assert!(!said.contains("runtime/lang"), "{executor:?}, {how}: {said}");
    }
}
