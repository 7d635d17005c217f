//! Barriers that count and bulk copies, used as hardware does not allow: both executors say the same.

use std::collections::BTreeSet;

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::simulator::{BulkProblem, MbarrierProblem, Misuse, Settings, SimFault};

use super::faults::{alike, alone_with};

#[gpu_kernel]
fn barriers(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if t == 0 {
        if how == 1 {
            mbarrier_init(&full[0], 0);
        }
        if how != 0 {
            mbarrier_init(&full[0], 1);
        }
        if how == 2 {
            mbarrier_init(&full[0], 1);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        if how == 3 {
            mbarrier_arrive_count(&full[0], 2);
        }
        if how == 4 {
            mbarrier_expect_tx(&full[0], 16);
            mbarrier_arrive(&full[0]);
            mbarrier_arrive(&full[0]);
        }
        if how == 5 {
            mbarrier_expect_tx(&full[0], 1 << 20);
        }
        if how == 6 {
            mbarrier_arrive(&full[0]);
            mbarrier_arrive(&full[0]);
            mbarrier_wait_phase(&full[0], 0);
        }
        if how == 7 {
            mbarrier_wait_phase(&full[0], 1);
        }
        if how == 8 {
            mbarrier_inval(&full[0]);
            mbarrier_arrive(&full[0]);
        }
        mbarrier_arrive(&full[0]);
    }
    row[t] = x[t];
    y[t] = row[t];
}

fn use_barriers(how: u32) -> impl Fn(&Device) -> Result<()> {
    move |device| {
        let (mut x, mut y) = (device.alloc_zeroed::<u32>(64)?, device.alloc_zeroed::<u32>(64)?);
        barriers(&mut x, &mut y, how).grid(1).block(64).launch(device)
    }
}

fn problem(how: u32) -> MbarrierProblem {
    match alike(Settings::default(), use_barriers(how)) {
        SimFault::Misuse { problem, .. } => match *problem {
            Misuse::Mbarrier(problem) => problem,
            other => panic!("{how}: {other}"),
        },
        other => panic!("{how}: {other}"),
    }
}

#[test]
fn a_barrier_is_used_as_hardware_defines() {
    assert_eq!(problem(0), MbarrierProblem::NotMade);
    assert_eq!(problem(1), MbarrierProblem::Count { count: 0 });
    assert!(matches!(problem(2), MbarrierProblem::MadeTwice { .. }));
    assert_eq!(problem(3), MbarrierProblem::Arrivals { count: 2, pending: 1, all: 1, phase: 0 });
    assert_eq!(problem(4), MbarrierProblem::Arrivals { count: 1, pending: 0, all: 1, phase: 0 });
    assert_eq!(problem(5), MbarrierProblem::Bytes { missing: 1 << 20 });
    assert_eq!(problem(6), MbarrierProblem::Aliased { awaited: 0, phase: 2 });
    assert_eq!(problem(7), MbarrierProblem::Aliased { awaited: 1, phase: 0 });
    assert_eq!(problem(8), MbarrierProblem::NotMade);
}

/// Thread 32 uses a barrier that thread 0 makes, and nothing orders the two.
#[gpu_kernel]
fn not_awaited(y: &mut [u32], #[comptime] how: u32) {
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
    }
    if t == 32 {
        match how {
            0 => full.arrive(),
            1 => full.expect(16),
            _ => full.wait_for(Phase::first()),
        }
    }
    y[t] = 1;
}

#[test]
fn a_barrier_that_is_made_too_late_is_one_report_in_every_order() {
    for how in 0..3 {
        let reports = (0..12u64).map(|seed| {
            let fault = alone_with(Settings { seed, ..Settings::default() }, |device| {
                let mut y = device.alloc_zeroed::<u32>(64)?;
                not_awaited(&mut y, how).grid(1).block(64).launch(device)
            });
            fault.found().to_string()
        });
        let reports: BTreeSet<String> = reports.collect();
        assert_eq!(reports.len(), 1, "{reports:?}");
        let report = reports.first().expect("a report");
        ["makes a barrier at", "uses it at", "fence_mbarrier_init"]
            .iter()
            .for_each(|words| assert!(report.contains(words), "{report}"));
    }
}

#[test]
fn a_right_use_of_barriers_is_no_fault() {
    use_barriers(9)(&Device::simulator()).expect("no fault");
}

#[gpu_kernel]
fn copies(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let mut other = shared!([u32; 64], align = 16);
    let full = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1);
        fence_mbarrier_init();
    }
    row[t] = t;
    other[t] = t;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        match how {
            0 => bulk_load(&mut row, &x[0..32], &full[0]),
            1 => bulk_load(&mut row[0..6], &x[0..6], &full[0]),
            2 => bulk_load(&mut row[0..8], &x[1..9], &full[0]),
            3 => bulk_load(&mut row[2..10], &x[0..8], &full[0]),
            4 => bulk_load(&mut row, &other, &full[0]),
            5 => bulk_store(&mut row, &other),
            6 => bulk_store(&mut y[0..64], &row),
            7 => {
                bulk_store(&mut y[0..64], &row);
                bulk_commit();
                bulk_wait_read::<1>();
            }
            8 => {
                mbarrier_arrive_expect_tx(&full[0], 256);
                bulk_load(&mut row, &x[0..64], &full[0]);
            }
            _ => {
                bulk_store(&mut y[0..64], &row);
                bulk_commit();
                bulk_wait_read::<0>();
                mbarrier_arrive_expect_tx(&full[0], 256);
                bulk_load(&mut row, &x[0..64], &full[0]);
                mbarrier_wait(&full[0], 0);
            }
        }
    }
}

fn copy(how: u32) -> impl Fn(&Device) -> Result<()> {
    move |device| {
        let (mut x, mut y) = (device.alloc_zeroed::<u32>(64)?, device.alloc_zeroed::<u32>(64)?);
        copies(&mut x, &mut y, how).grid(1).block(64).launch(device)
    }
}

fn bulk_problem(how: u32, seed: u64) -> BulkProblem {
    let settings = Settings { seed, ..Settings::default() };
    match alike(settings, copy(how)).found() {
        SimFault::Misuse { problem, .. } => match &**problem {
            Misuse::Bulk(problem) => problem.clone(),
            other => panic!("{how}: {other}"),
        },
        other => panic!("{how}: {other}"),
    }
}

#[test]
fn a_bulk_copy_is_what_hardware_does_and_ends_before_its_memory() {
    // Whether bytes move at once or late: the seed decides, the verdict does not depend on it.
    for seed in [0, 3, 8] {
        assert_eq!(bulk_problem(0, seed), BulkProblem::Lengths { to: 256, from: 128 });
        assert_eq!(bulk_problem(1, seed), BulkProblem::Size { bytes: 24 });
        assert_eq!(bulk_problem(2, seed), BulkProblem::Misaligned { written: false, beyond: 4 });
        assert_eq!(bulk_problem(3, seed), BulkProblem::Misaligned { written: true, beyond: 8 });
        assert_eq!(bulk_problem(4, seed), BulkProblem::Memory { written: false, shared: false });
        assert_eq!(bulk_problem(5, seed), BulkProblem::Memory { written: true, shared: false });
        assert_eq!(bulk_problem(6, seed), BulkProblem::NotWaitedFor);
        assert_eq!(bulk_problem(7, seed), BulkProblem::NotWaitedFor);
        assert_eq!(bulk_problem(8, seed), BulkProblem::NobodyWaited { block: [0; 3] });
        copy(9)(&Device::simulator_with(Settings { seed, ..Settings::default() })).expect("no fault");
    }
}

#[gpu_kernel]
fn stuck(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1);
        mbarrier_init(&full[1], 1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        match how {
            // More bytes are expected than copied.
            0 => mbarrier_arrive_expect_tx(&full[1], 512),
            // The bytes are there, the arrival is not.
            1 => mbarrier_expect_tx(&full[1], 256),
            // Nobody expects the bytes.
            2 => mbarrier_arrive_count(&full[0], 1),
            _ => mbarrier_arrive_expect_tx(&full[1], 256),
        }
        bulk_load(&mut row, &x[0..64], &full[1]);
    }
    if how == 3 {
        // A turn too many.
        while !mbarrier_try_wait(&full[1], 1) {}
        while !mbarrier_try_wait(&full[1], 0) {}
        while !mbarrier_try_wait(&full[1], 1) {}
    }
    mbarrier_wait(&full[1], 0);
    y[t] = row[t];
}

#[test]
fn a_deadlock_names_the_barrier_its_phase_and_what_it_misses() {
    let report = |how: u32| {
        let launch = move |device: &Device| {
            let (mut x, mut y) = (device.alloc_zeroed::<u32>(64)?, device.alloc_zeroed::<u32>(64)?);
            stuck(&mut x, &mut y, how).grid(1).block(64).launch(device)
        };
        alike(Settings::default(), launch).to_string()
    };
    let has = |how: u32, words: &[&str]| {
        let text = report(how);
        words.iter().for_each(|word| assert!(text.contains(word), "{how}: {text}"));
    };
    has(0, &["phase 0 of barrier 1", "all of 1 arrivals are there, and 256 expected bytes (copies of 256"]);
    has(1, &["64 threads", "1 of 1 arrivals are missing"]);
    has(2, &["1 of 1 arrivals are missing, and 256 bytes have come that nobody expects"]);
    has(3, &["`mbarrier_try_wait`", "phase 1 of barrier 1"]);
}

#[gpu_kernel]
fn by_methods(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    let mut phase = if how == 1 { Phase::first().next() } else { Phase::first() };
    if t == 0 {
        full.load(&mut row[0..if how == 2 { 8 } else { 16 }], &x[0..16]);
        if how != 0 {
            full.arrive();
        }
        if how == 3 {
            full.arrive();
        }
    }
    full.wait(&mut phase);
    y[t] = row[t % 16];
}

#[test]
fn methods_of_barriers_fault_at_the_line_that_calls_them() {
    let fault = |how: u32| {
        let launch = move |device: &Device| {
            let (mut x, mut y) = (device.alloc_zeroed::<u32>(64)?, device.alloc_zeroed::<u32>(64)?);
            by_methods(&mut x, &mut y, how).grid(1).block(64).launch(device)
        };
        alike(Settings::default(), launch).to_string()
    };
    let has = |how: u32, words: &[&str]| {
        let text = fault(how);
        words.iter().for_each(|word| assert!(text.contains(word), "{how}: {text}"));
    };
    has(0, &["64 threads", "1 of 1 arrivals are missing", "engine.rs"]);
    has(1, &["waits for phase 1 of a barrier that is in phase 0", "engine.rs"]);
    has(2, &["copies 64 bytes to a place of 32", "engine.rs"]);
    has(3, &["arrives once too often in phase 0", "engine.rs"]);
}
