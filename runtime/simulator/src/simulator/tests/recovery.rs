//! What is left after a fault: nothing.

use std::rc::Rc;
use std::thread;

use super::*;

/// A kernel that needs every part of the simulator.
fn healthy() -> Result<SimReport, SimFault> {
    simulate(2, 64, || {
        let cells = shared::<u32>(1, 64);
        cells[tid() as usize].set(tid());
        context::sync_threads();
        let view = context::warp_exchange(u32::MAX, "shfl_sync", payload(cells[63 - tid() as usize].get()));
        assert_eq!(number(view.lane(0)), Some(63 - context::warp_id() * 32));
    })
}

#[test]
fn the_next_launch_works_after_every_kind_of_fault() {
    let expected = healthy();
    assert!(expected.is_ok(), "{expected:?}");
    let bodies: [&dyn Fn(); 4] = [
        &|| {
            if tid() != 3 {
                context::sync_threads()
            }
        },
        &|| match tid() {
            40 => panic!("on purpose"),
            _ => context::sync_threads(),
        },
        &|| if tid() == 40 { context::sync_warp(1) } else { context::sync_warp(u32::MAX) },
        &|| if tid() == 40 { context::fault_bounds(-1, 2) } else { context::cluster_sync() },
    ];
    for body in bodies {
        assert!(simulate(4, 64, body).is_err());
        assert_eq!(healthy(), expected);
    }
}

#[test]
fn values_of_threads_that_waited_are_dropped() {
    let alive = Rc::new(());
    let report = simulate(1, 256, || {
        let _held = alive.clone();
        match tid() {
            255 => panic!("on purpose"),
            _ => context::sync_threads(),
        }
    });
    assert!(report.is_err());
    assert_eq!(Rc::strong_count(&alive), 1);
}

#[test]
fn a_panic_on_the_host_after_a_launch_is_an_ordinary_panic() {
    assert!(healthy().is_ok());
    let caught = std::panic::catch_unwind(|| panic!("ordinary"));
    assert_eq!(caught.expect_err("panics").downcast_ref::<&str>(), Some(&"ordinary"));
}

#[test]
fn os_threads_simulate_side_by_side() {
    let workers: Vec<_> = (0..8)
        .map(|i| {
            thread::spawn(move || {
                for _ in 0..20 {
                    assert!(healthy().is_ok());
                    let fault =
                        fault(64, || if tid() == i { panic!("thread {i}") } else { context::sync_threads() });
                    assert!(matches!(fault, SimFault::Panic { thread: [t, 0, 0], .. } if t == i));
                }
            })
        })
        .collect();
    assert!(workers.into_iter().all(|worker| worker.join().is_ok()));
}
