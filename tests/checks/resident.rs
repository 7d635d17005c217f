//! Blocks that wait for each other, and very many threads at once.

use std::time::{Duration, Instant};

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::simulator::{Settings, SimFault};

use crate::faults::alike;

/// A block waits until the next one has raised its flag.
#[gpu_kernel]
fn meet(flags: &mut [u32], #[comptime] how: u32) {
    let (b, n) = (block_idx().x, grid_dim().x);
    let next = (b + 1) % n;
    if thread_idx().x == 0 {
        atomic(&mut flags[b]).store(1, Ordering::Release);
    }
    match how {
        0 => {
            while atomic(&mut flags[next]).load(Ordering::Acquire) == 0 {
                nanosleep(64);
            }
        }
        1 => while volatile_load(&flags[next]) == 0 {},
        2 => while atomic_compare_exchange(&mut flags[next], 1, 1) == 0 {},
        3 => while atomic_add(&mut flags[next], 0) == 0 {},
        _ => {
            let mut all = false;
            while !all {
                all = true;
                for i in 0..n {
                    all &= atomic(&mut flags[i]).load(Ordering::Acquire) != 0;
                }
            }
        }
    }
}

#[test]
fn blocks_that_wait_for_others_that_have_not_started_are_named_soon() -> Result<()> {
    for how in 0..5 {
        let start = Instant::now();
        let fault = alike(Settings::default(), |device| {
            let mut flags = device.alloc_zeroed::<u32>(3)?;
            meet(&mut flags, how).grid(3).block(1).launch(device)
        });
        let SimFault::Deadlock { waiting, unstarted, .. } = &fault else { panic!("{fault}") };
        let unstarted = unstarted.as_ref().map(|blocks| (blocks.count, blocks.next));
        assert_eq!(unstarted, Some((2, [1, 0, 0])), "{fault}");
        assert_eq!((waiting[0].operation, waiting[0].block), ("a loop of atomics", [0; 3]), "{fault}");
        assert!(fault.to_string().contains("block (1, 0, 0) and 1 more have not started"), "{fault}");
        assert!(fault.to_string().contains("`.cooperative()`"), "{fault}");
        println!("how {how}: {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(60), "it took {:?}", start.elapsed());
        let device = Device::simulator();
        meet(&mut device.alloc_zeroed::<u32>(3)?, how).grid(3).block(1).cooperative().launch(&device)?;
    }
    Ok(())
}

/// Each thread finds the same many times, and goes on.
#[gpu_kernel]
fn patient(limit: &[u32], y: &mut [u32]) {
    let mut sum = 0;
    for i in 0..2_000_000 {
        sum += volatile_load(&limit[i % 8]);
    }
    y[block_idx().x] = sum;
}

#[test]
fn a_thread_that_reads_what_it_has_read_before_is_not_stuck() -> Result<()> {
    let device = Device::simulator();
    let (limit, mut y) = (device.upload(&[1u32; 8])?, device.alloc_zeroed::<u32>(2)?);
    patient(&limit, &mut y).grid(2).block(1).launch(&device)?;
    assert_eq!(device.download(&y)?, [2_000_000; 2]);
    Ok(())
}

/// All threads of the grid are there at once, each with something on its stack.
#[gpu_kernel]
fn all_at_once(y: &mut [u32]) {
    let i = global_id();
    let mut own = [0u32; 16];
    own[i % 16] = 1;
    grid_sync();
    y[i] = own[i % 16] + i as u32;
    grid_sync();
    let next = y[(i + 1) % y.len()];
    grid_sync();
    y[i] = next * own[i % 16];
}

#[test]
fn very_many_threads_run_at_once() -> Result<()> {
    let device = Device::simulator();
    let threads = 33 * 1024;
    let mut y = device.alloc_zeroed::<u32>(threads)?;
    for _ in 0..2 {
        all_at_once(&mut y).grid(33).block(1024).cooperative().launch(&device)?;
    }
    let expected: Vec<u32> = (0..threads as u32).map(|i| (i + 1) % threads as u32 + 1).collect();
    assert_eq!(device.download(&y)?, expected);
    Ok(())
}
