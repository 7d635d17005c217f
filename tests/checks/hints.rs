//! The hint of a race's report: it fits the situation, and names nothing that cannot be done there.

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::simulator::{Settings, SimChecks, SimFault};

/// The hint that the report of a launch's race gives for ordering the two.
fn hint(launch: impl Fn(&Device) -> Result<()>) -> String {
    // In some orders a read that comes too early reads memory that no thread has written.
    let checks = SimChecks { initialisation: false, ..SimChecks::ALL };
    match launch(&Device::simulator_with(Settings { checks, ..Settings::default() })) {
        Err(warpsmith::Error::Simulator(fault)) => match *fault {
            SimFault::DataRace(race) => race.hint,
            other => panic!("no race: {other}"),
        },
        other => panic!("no fault: {other:?}"),
    }
}

/// Partial results, a counter, and the last block that reads them: CUDA's pattern, with one half or the other missing.
#[gpu_kernel]
fn last_block(partial: &mut [u32], count: &mut [u32], out: &mut [u32], #[comptime] how: u32) {
    let mut last = shared!([bool; 1]);
    let (t, b, blocks) = (thread_idx().x, block_idx().x, grid_dim().x);
    if t == 0 {
        partial[b] = b + 1;
        if how != 3 {
            fence_device();
        }
        last[0] = match how {
            4 => atomic(&mut count[0]).fetch_add(1, Ordering::Release) == blocks - 1,
            _ => atomic_inc(&mut count[0], blocks) == blocks - 1,
        };
        if how == 2 {
            fence_block();
        }
    }
    sync_threads();
    if last[0] && t == if how == 1 { 1 } else { 0 } {
        for i in 0..blocks {
            out[0] += volatile_load(&partial[i]);
        }
    }
}

#[test]
fn a_missing_acquire_is_named_where_the_release_was_seen() {
    let report = |how| {
        hint(|device| {
            let (mut partial, mut count) = (device.alloc_zeroed::<u32>(4)?, device.alloc_zeroed::<u32>(1)?);
            let mut out = device.alloc_zeroed::<u32>(1)?;
            last_block(&mut partial, &mut count, &mut out, how).grid(4).block(32).launch(device)
        })
    };
    for how in [0, 2, 4] {
        let said = report(how);
        assert!(said.contains("its thread has seen the flag or counter"), "{how}: {said}");
        assert!(said.contains("put `fence_device()` after the operation that saw it"), "{how}: {said}");
    }
    assert!(report(1).contains("thread (0, 0, 0) of its block has seen the flag"), "{}", report(1));
    let nothing = report(3);
    assert!(
        nothing.contains("a flag stored with `Ordering::Release`") && !nothing.contains("seen"),
        "{nothing}"
    );
}

/// Threads of a block, on one way or on separate ones.
#[gpu_kernel]
fn ways(y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    match how {
        0 => {
            tile[t] = t;
            y[t] = tile[63 - t];
        }
        1 => {
            if t < 32 {
                tile[t] = t;
            } else {
                y[t] = tile[63 - t];
            }
        }
        2 => {
            tile[t] = t;
            y[t] = tile[t ^ 1];
        }
        3 => {
            if t == 0 {
                tile[0] = 7;
            }
            y[t] = tile[0];
        }
        _ => {
            for k in 0..3 {
                tile[t] = t + k;
                sync_threads();
                y[t] += tile[63 - t];
            }
        }
    }
}

#[test]
fn a_barrier_is_asked_for_only_where_it_can_stand() {
    let report =
        |how| hint(|device| ways(&mut device.alloc_zeroed::<u32>(64)?, how).grid(1).block(64).launch(device));
    for how in [0, 4] {
        assert!(
            report(how).starts_with("put `sync_threads()` between them, outside of branches"),
            "{}",
            report(how)
        );
    }
    for how in [2, 3] {
        assert!(
            report(how).starts_with("put `sync_warp()` or `sync_threads()` between them"),
            "{}",
            report(how)
        );
    }
    let apart = report(1);
    assert!(apart.contains("named_barrier_sync") && !apart.contains("put `sync_threads()`"), "{apart}");
}

#[gpu_kernel]
fn raises(x: &[u32], flag: &mut [u32]) {
    if x[global_id()] > 2 {
        flag[0] = 1;
    }
}

#[test]
fn an_atomic_store_is_named_where_several_threads_store() {
    for block in [4, 1] {
        let said = hint(|device| {
            let (x, mut flag) = (device.upload(&[1u32, 3, 2, 5])?, device.alloc_zeroed::<u32>(1)?);
            raises(&x, &mut flag).over(4).block(block).launch(device)
        });
        let store =
            "store it by `atomic(&mut x[i]).store(value, Ordering::Relaxed)`, or set bits by `fetch_or`";
        assert!(said.contains(store), "{said}");
    }
}
