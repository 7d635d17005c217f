//! Barriers that count arrivals and bytes, and the copy engine: phases, patience, and uses that hardware does not define.

use super::*;
use crate::simulator::context::{BulkCopy, PhaseOf};
use crate::simulator::{BulkProblem, MbarrierProblem, MemoryScope, Misuse};

/// Barriers in shared memory, as addresses.
fn barrier(number: usize) -> *const u8 {
    shared::<u64>(1, 4)[number].as_ptr().cast_const().cast()
}

fn arrive(number: usize) {
    context::mbarrier_arrive("arrive", barrier(number), 1, 0);
}

fn wait(number: usize, phase: u32) {
    context::mbarrier_wait("wait", barrier(number), PhaseOf::Number(phase), MemoryScope::Block);
}

/// Makes the barrier in one thread, before all others go on.
fn make(number: usize, count: u32) {
    if tid() == 0 {
        context::mbarrier_init(barrier(number), count);
    }
    context::sync_threads();
}

/// The problem of a kernel of this many threads with a barrier.
fn problem(threads: u32, thread: impl Fn()) -> MbarrierProblem {
    match fault(threads, thread) {
        SimFault::Misuse { problem, .. } => match *problem {
            Misuse::Mbarrier(problem) => problem,
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

/// Copies 64 bytes from global to shared memory, for barrier 0.
fn load(from: &[Cell<u8>], to: &[Cell<u8>]) {
    let (from, to) = (from.as_ptr().cast(), to.as_ptr().cast_mut().cast());
    context::bulk_copy("bulk_load", BulkCopy::Load, (to, 64), (from, 64), barrier(0));
}

/// Shared memory that bulk copies take.
fn row<'a>() -> &'a [Cell<u8>] {
    let memory = shared::<u128>(2, 4);
    // SAFETY: the same bytes.
    unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), 64) }
}

/// Global memory at a multiple of sixteen bytes.
fn aligned() -> Vec<Cell<u128>> {
    global(u128::from_le_bytes([7; 16]), 4)
}

fn bytes(memory: &[Cell<u128>]) -> &[Cell<u8>] {
    // SAFETY: the same bytes.
    unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), memory.len() * 16) }
}

#[test]
fn a_phase_is_complete_once_all_have_arrived_and_all_bytes_have_come() {
    let memory = aligned();
    for seed in [0, 1, 2, 9] {
        let settings = Settings { seed, ..Settings::default() };
        let launch = SimLaunch { settings, ..SimLaunch::new("test", [1, 1, 1], [64, 1, 1]) };
        let ran = run(&launch, &|| {
            make(0, 2);
            if tid() == 0 {
                // Bytes may come before they are expected: the phase misses arrivals.
                load(bytes(&memory), row());
                assert!(!context::mbarrier_test_wait("test", barrier(0), PhaseOf::Parity(0)));
                assert!(context::mbarrier_test_wait("test", barrier(0), PhaseOf::Parity(1)));
                context::mbarrier_arrive("arrive", barrier(0), 1, 64);
            }
            if tid() == 40 {
                arrive(0);
            }
            wait(0, 0);
            assert_eq!(row()[tid() as usize].get(), 7);
        });
        ran.unwrap_or_else(|fault| panic!("{seed}: {fault}"));
    }
}

#[test]
fn who_tries_may_do_something_else_when_nothing_can_go_on() {
    let ran = simulate(1, 32, || {
        make(0, 32);
        let mut tries = 0;
        let phase = PhaseOf::Parity(0);
        if tid() != 0 {
            arrive(0);
        }
        while !context::mbarrier_try_wait("try", barrier(0), phase) {
            tries += 1;
            if tid() == 0 && tries == 3 {
                arrive(0);
            }
        }
        assert!(tid() != 0 || tries >= 3);
    });
    assert!(ran.is_ok(), "{ran:?}");
}

#[test]
fn who_tries_for_ever_is_stuck() {
    let fault = fault(32, || {
        make(0, 33);
        arrive(0);
        while !context::mbarrier_try_wait("try", barrier(0), PhaseOf::Parity(0)) {}
    });
    let SimFault::Deadlock { waiting, .. } = &fault else { panic!("{fault}") };
    let state = waiting[0].barrier.as_ref().expect("a barrier");
    assert_eq!((state.pending, state.count, state.phase, state.missing), (1, 33, 0, 0));
}

#[test]
fn a_waiter_that_two_phases_overtake_is_told() {
    let overtaken = problem(2, || {
        make(0, 1);
        match tid() {
            0 => wait(0, 0),
            _ => {
                // The other one waits by now, in whatever order they began.
                context::sync_warp(2);
                arrive(0);
                arrive(0);
            }
        }
    });
    assert_eq!(overtaken, MbarrierProblem::Aliased { awaited: 0, phase: 2 });
}

#[test]
fn what_hardware_does_not_define_is_a_fault() {
    let memory = aligned();
    assert_eq!(problem(1, || arrive(0)), MbarrierProblem::NotMade);
    let outside = problem(1, || context::mbarrier_init(memory.as_ptr().cast(), 1));
    assert_eq!(outside, MbarrierProblem::NotShared);
    let beside = problem(1, || context::mbarrier_init(barrier(0).wrapping_add(4), 1));
    assert_eq!(beside, MbarrierProblem::Misaligned);
    let awaited = problem(64, || {
        make(0, 1);
        match tid() {
            0 => wait(0, 0),
            // Nothing else can go on: the other one waits.
            32 if !context::mbarrier_try_wait("try", barrier(0), PhaseOf::Parity(0)) => {
                context::mbarrier_inval(barrier(0));
            }
            _ => {}
        }
    });
    assert_eq!(awaited, MbarrierProblem::Awaited);
    let data = problem(1, || {
        make(0, 1);
        let to = barrier(0).cast_mut();
        context::bulk_copy("bulk_load", BulkCopy::Load, (to, 16), (memory.as_ptr().cast(), 16), barrier(0));
    });
    assert_eq!(data, MbarrierProblem::AsData);
}

#[test]
fn stores_are_read_before_their_thread_returns() {
    let memory = aligned();
    let store = |waits: bool| {
        let memory = &memory;
        move || {
            row()[0].set(9);
            let (to, from) = (memory.as_ptr().cast_mut().cast(), row().as_ptr().cast());
            context::bulk_copy("bulk_store", BulkCopy::Store, (to, 64), (from, 64), std::ptr::null());
            context::bulk_commit();
            if waits {
                context::bulk_wait(0, true);
                // What was read is what is written, though only at the end.
                row()[0].set(5);
            }
        }
    };
    let left = fault(1, store(false));
    assert!(
        matches!(&left, SimFault::Misuse { problem, .. } if **problem == BulkProblem::NotWaitedFor.into()),
        "{left}"
    );
    assert!(simulate(1, 1, store(true)).is_ok());
    assert_eq!(bytes(&memory)[0].get(), 9);
}
