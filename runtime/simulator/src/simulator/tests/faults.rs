//! Kernels that do wrong, and the words for it.

use super::*;
use crate::simulator::{MaskProblem, Missing};

/// The fault's text with this file's name shortened.
fn text(fault: &SimFault) -> String {
    fault.to_string().replace(file!(), "faults.rs")
}

/// Computes a value for what it does on the way.
fn ignore<T>(value: T) {
    std::hint::black_box(value);
}

#[test]
fn a_barrier_in_one_branch_names_who_waits_and_who_left() {
    let line = line!() + 3;
    let fault = fault(64, || {
        if tid() < 40 {
            context::sync_threads();
        }
    });
    let expected = format!(
        "40 threads wait at `sync_threads` (faults.rs:{line}) in block (0, 0, 0) of kernel `test`, but 24 have returned, \
         thread (40, 0, 0) of block (0, 0, 0) among them; every thread must reach the barrier"
    );
    assert_eq!(text(&fault), expected);
}

#[test]
fn a_thread_that_returns_early_misses_the_barrier() {
    let fault = fault(32, || {
        if tid() != 0 {
            context::sync_threads();
        }
    });
    let other = Missing::Left { block: [0; 3], thread: [0; 3], count: 1 };
    assert!(matches!(fault, SimFault::BarrierNotReached { waiting: 31, other: o, .. } if o == other));
}

#[test]
fn returned_threads_pass_when_the_settings_say_so() {
    let settings = Settings { returned_threads_pass: true, ..Settings::default() };
    let launch = SimLaunch { settings, ..SimLaunch::new("test", [1, 1, 1], [32, 1, 1]) };
    let report = run(&launch, &|| {
        if tid() % 2 == 1 {
            let view = context::warp_exchange(u32::MAX, "shfl_sync", payload(tid()));
            assert_eq!((view.participants(), number(view.lane(2))), (0xaaaa_aaaa, None));
            context::sync_threads();
            context::cluster_sync();
        }
    });
    assert_eq!(report.map(|r| r.barriers), Ok(2));
}

#[test]
fn two_barriers_in_two_branches_are_a_mismatch() {
    let line = line!() + 2;
    let fault = fault(4, || match tid() {
        0 | 1 => context::sync_threads(),
        _ => context::sync_threads(),
    });
    let expected = (line + 1, line, [2, 0, 0]);
    assert!(
        matches!(fault, SimFault::BarrierMismatch { line, other_line, thread, .. } if (line, other_line, thread) == expected)
    );
}

#[test]
fn a_barrier_of_the_block_and_one_of_the_cluster_do_not_meet() {
    let fault = fault(4, || match tid() {
        0 => context::cluster_sync(),
        _ => context::sync_threads(),
    });
    let SimFault::BarrierNotReached { barrier, waiting, other: Missing::Elsewhere(other), .. } = fault else {
        panic!("{fault}");
    };
    assert_eq!((barrier, waiting), ("sync_threads", 3));
    assert_eq!((other.operation, other.count, other.thread), ("cluster_sync", 1, [0, 0, 0]));
}

#[test]
fn a_warp_operation_and_a_barrier_that_wait_for_each_other_are_a_deadlock() {
    let (warp, block) = (line!() + 3, line!() + 4);
    let fault = fault(64, || {
        if tid() < 7 {
            context::sync_warp(u32::MAX);
        } else {
            context::sync_threads();
        }
    });
    // The lanes of warp 0 that reached the barrier keep the others from meeting.
    let expected = format!(
        "deadlock in kernel `test`: no thread that has started can go on: 7 threads of block (0, 0, 0), thread (0, 0, 0) among \
         them, wait at `sync_warp` (faults.rs:{warp}); 57 threads of block (0, 0, 0), thread (7, 0, 0) among them, \
         wait at `sync_threads` (faults.rs:{})",
        block + 1
    );
    assert_eq!(text(&fault), expected);
}

#[test]
fn a_mask_must_name_the_caller() {
    let fault = fault(32, || context::sync_warp(0xffff));
    assert!(matches!(fault, SimFault::ShuffleMask { problem: MaskProblem::CallerMissing { lane: 16 }, .. }));
}

#[test]
fn a_mask_must_not_name_a_lane_that_left() {
    for leaver in [0, 31] {
        let fault = fault(32, || {
            if tid() != leaver {
                context::warp_exchange(u32::MAX, "shfl_sync", payload(0));
            }
        });
        let (problem, caller) = (MaskProblem::LaneLeft { lane: leaver }, [u32::from(leaver == 0), 0, 0]);
        assert!(
            matches!(fault, SimFault::ShuffleMask { problem: p, thread, .. } if p == problem && thread == caller)
        );
    }
}

#[test]
fn lanes_of_one_mask_must_make_the_same_call() {
    let fault = fault(32, || {
        let kind = if tid() == 9 { "ballot_sync" } else { "shfl_sync" };
        context::warp_exchange(u32::MAX, kind, payload(0));
    });
    let SimFault::ShuffleMask { operation, problem: MaskProblem::LaneElsewhere { at, .. }, thread, .. } =
        fault
    else {
        panic!("{fault}");
    };
    assert_eq!((operation, thread, at.operation, at.count), ("ballot_sync", [9, 0, 0], "shfl_sync", 9));
}

#[test]
fn lanes_whose_masks_exclude_each_other_are_named() {
    let fault = fault(2, || context::sync_warp(if tid() == 0 { 0b11 } else { 0b110 | 0xff00 }));
    // Lane 1's mask names no other lane that exists, so it passes and leaves; lane 0 still waits.
    assert!(matches!(fault, SimFault::ShuffleMask { problem: MaskProblem::LaneLeft { lane: 1 }, .. }));
    let crossed =
        crate::simulator::tests::fault(3, || context::sync_warp([0b011, 0b110, 0b101][tid() as usize]));
    assert!(matches!(crossed, SimFault::ShuffleMask { problem: MaskProblem::LaneElsewhere { .. }, .. }));
}

#[test]
fn an_index_out_of_bounds_names_line_block_thread_index_and_length() {
    let line = line!() + 4;
    let launch = SimLaunch::new("test", [3, 1, 1], [8, 1, 1]);
    let read = || {
        if context::block_idx()[0] == 2 && tid() == 5 {
            context::fault_bounds(21, 20)
        }
    };
    for rendezvous in [true, false] {
        let launch = SimLaunch { rendezvous, ..launch.clone() };
        let Err(fault) = run(&launch, &read) else { panic!("no fault") };
        let expected = format!(
            "index 21 is out of bounds for length 20 at faults.rs:{line}, in block (2, 0, 0), thread (5, 0, 0) \
             of kernel `test`; guard the access with a comparison to `.len()`"
        );
        assert_eq!(text(&fault), expected);
    }
}

#[test]
fn a_panic_of_the_kernel_is_a_fault_with_its_line() {
    let zero = Cell::new(0u32);
    let bodies: [(&str, &dyn Fn()); 3] = [
        ("attempt to divide by zero", &|| ignore(tid() / zero.get())),
        ("attempt to subtract with overflow", &|| ignore(zero.get() - 1)),
        ("sum is 3", &|| assert!(tid() != 3, "sum is {}", tid())),
    ];
    for (expected, body) in bodies {
        if !cfg!(debug_assertions) && expected.contains("overflow") {
            continue;
        }
        let fault = fault(4, || {
            context::sync_threads();
            body();
        });
        let SimFault::Panic { message, file, line, .. } = &fault else { panic!("{fault}") };
        assert_eq!((message.as_str(), file.as_str()), (expected, file!()));
        assert!(*line > 0);
    }
}

#[test]
fn an_index_beyond_an_array_of_the_thread_is_out_of_bounds() {
    let index = Cell::new(7usize);
    let fault = fault(1, || ignore([1, 2, 3, 4u32][index.get()]));
    assert!(
        matches!(&fault, SimFault::OutOfBounds { file, line, index: 7, len: 4, .. } if file == file!() && *line > 0),
        "{fault}"
    );
}

#[test]
fn a_spin_that_nobody_ends_is_a_deadlock() {
    for rendezvous in [true, false] {
        let settings = Settings { atomic_budget: 10_000, ..Settings::default() };
        let launch = SimLaunch { rendezvous, settings, ..SimLaunch::new("test", [1, 1, 1], [3, 1, 1]) };
        let fault = run(&launch, &|| loop {
            context::on_atomic();
        });
        let Err(SimFault::Deadlock { waiting, .. }) = fault else { panic!("{fault:?}") };
        assert_eq!(
            (waiting[0].operation, waiting[0].count),
            ("a loop of atomics", if rendezvous { 3 } else { 1 })
        );
    }
}

#[test]
fn a_rendezvous_without_fibers_is_a_fault() {
    let launch = SimLaunch { rendezvous: false, ..SimLaunch::new("test", [1, 1, 1], [2, 1, 1]) };
    let fault = run(&launch, &|| context::sync_threads());
    assert!(matches!(fault, Err(SimFault::Rendezvous { operation: "sync_threads", .. })));
}

#[test]
fn one_shared_array_has_one_size() {
    let fault = fault(2, || ignore(shared::<u32>(1, 4 + tid() as usize)));
    assert!(matches!(fault, SimFault::SharedSize { bytes: 20, first: 16, thread: [1, 0, 0], .. }));
}

#[test]
fn shared_memory_ends_at_the_limit() {
    let fault = fault(1, || ignore(shared::<u8>(1, 300 << 10)));
    assert!(matches!(fault, SimFault::SharedMemory { bytes: 307_200, limit: 232_448, .. }));
    let mut launch = SimLaunch { dynamic_shared: 300 << 10, ..SimLaunch::new("test", [1, 1, 1], [1, 1, 1]) };
    assert!(matches!(run(&launch, &|| ()), Err(SimFault::SharedMemory { .. })));
    launch.settings.shared_limit = usize::MAX;
    assert!(run(&launch, &|| ()).is_ok());
    assert!(matches!(run(&launch, &|| ignore(shared::<u8>(1, 1 << 40))), Err(SimFault::SharedMemory { .. })));
}

#[test]
fn a_stack_that_the_system_refuses_is_a_fault() {
    let settings = Settings { stack_bytes: usize::MAX, ..Settings::default() };
    let launch = SimLaunch { settings, ..SimLaunch::new("test", [1, 1, 1], [2, 1, 1]) };
    assert!(matches!(run(&launch, &|| context::sync_threads()), Err(SimFault::Stack { count: 0, .. })));
}

#[test]
fn a_launch_within_a_launch_is_refused() {
    let inner = Cell::new(None);
    let report = simulate(1, 1, || inner.set(Some(simulate(1, 1, || ()))));
    assert!(report.is_ok());
    assert!(matches!(inner.take(), Some(Err(SimFault::Nested { .. }))));
}

#[test]
#[should_panic(expected = "`thread_idx` can only be used in a kernel")]
fn device_functions_on_the_host_say_so() {
    context::thread_idx();
}

#[test]
fn the_barrier_of_a_grid_waits_for_who_has_returned() {
    let launch = SimLaunch { cooperative: true, ..SimLaunch::new("test", [2, 1, 1], [2, 1, 1]) };
    let outcome = run(&launch, &|| {
        if context::block_idx()[0] == 0 || tid() == 1 {
            context::grid_sync();
        }
    });
    let Err(SimFault::BarrierNotReached { barrier, waiting, other, .. }) = outcome else {
        panic!("it is not reached: {outcome:?}");
    };
    assert_eq!((barrier, waiting), ("grid_sync", 3));
    assert_eq!(other, Missing::Left { block: [1, 0, 0], thread: [0, 0, 0], count: 1 });
}

#[test]
fn a_row_of_a_matrix_lies_in_one_array() {
    let at = |bytes: usize| {
        move || {
            let (first, second) = (shared::<u64>(1, 3), shared::<u64>(2, 4));
            second.iter().for_each(|cell| cell.set(u64::MAX));
            let start = first.as_ptr().cast::<u8>().cast_mut().wrapping_add(bytes);
            context::write_row("stmatrix_x1", start, [7; 16]);
            assert_eq!(context::read_row("ldmatrix_x1", start), [7; 16]);
        }
    };
    assert!(simulate(1, 1, at(0)).is_ok() && simulate(1, 1, at(24)).is_ok());
    for (bytes, inside) in [(16, true), (48, true), (56, false), (usize::MAX - 7, false)] {
        let fault = fault(1, at(bytes));
        assert!(
            matches!(&fault, SimFault::MatrixRow(row) if row.begins_inside == inside),
            "{bytes}: {fault}"
        );
    }
}
