//! The order of threads, and what observers see of it.

use std::cell::RefCell;

use super::*;
use crate::simulator::{Line, Observer, Settings};

/// Block and thread of every thread, in the order in which they begin and pass a barrier.
fn trace(seed: u64, rendezvous: bool) -> Vec<(u32, u32)> {
    let trace = RefCell::new(Vec::new());
    let settings = Settings { seed, ..Settings::default() };
    let launch = SimLaunch { rendezvous, settings, ..SimLaunch::new("test", [5, 1, 1], [100, 1, 1]) };
    let report = run(&launch, &|| {
        let note = || trace.borrow_mut().push((context::block_idx()[0], tid()));
        note();
        if rendezvous {
            context::sync_threads();
            note();
        }
    });
    assert!(report.is_ok(), "{report:?}");
    trace.into_inner()
}

#[test]
fn the_order_is_that_of_the_indices() {
    let expected: Vec<_> = (0..5).flat_map(|block| (0..100).map(move |thread| (block, thread))).collect();
    assert_eq!(trace(0, false), expected);
}

#[test]
fn a_seed_gives_another_order_and_always_the_same() {
    for rendezvous in [true, false] {
        let mut orders: Vec<_> = (0..4).map(|seed| trace(seed, rendezvous)).collect();
        assert_eq!(orders[3], trace(3, rendezvous));
        assert!((1..4).all(|seed| orders[seed] != orders[0] && orders[seed] != orders[seed - 1]));
        orders.iter_mut().for_each(|order| order.sort());
        assert!(orders.iter().all(|order| *order == orders[0]));
    }
}

#[derive(Default)]
struct Log(RefCell<Vec<String>>);

impl Log {
    fn note(&self, event: String) {
        self.0.borrow_mut().push(event);
    }
}

impl Observer for Log {
    fn on_launch(&self, launch: &SimLaunch<'_>) {
        self.note(format!("launch {}", launch.kernel));
    }
    fn on_block(&self, block: [u32; 3]) {
        self.note(format!("block {}", block[0]));
    }
    fn on_barrier(&self, barrier: &'static str, block: [u32; 3], _at: Line) {
        self.note(format!("{barrier} {}", block[0]));
    }
    fn on_exchange(&self, operation: &'static str, block: [u32; 3], mask: u32, _at: Line) {
        self.note(format!("{operation} {} {mask:#x}", block[0]));
    }
    fn on_finish(&self, report: &SimReport) -> Result<(), SimFault> {
        self.note(format!("finish {}", report.threads));
        Ok(())
    }
}

#[test]
fn an_observer_sees_every_event() {
    let log = Log::default();
    let launch = SimLaunch { observers: &[&log], ..SimLaunch::new("test", [2, 1, 1], [3, 1, 1]) };
    let report = run(&launch, &|| {
        context::sync_threads();
        context::sync_warp(u32::MAX);
    });
    assert!(report.is_ok());
    let block = |i: u32| [format!("block {i}"), format!("sync_threads {i}"), format!("sync_warp {i} 0x7")];
    let events =
        [vec!["launch test".into()], block(0).to_vec(), block(1).to_vec(), vec!["finish 6".into()]].concat();
    assert_eq!(*log.0.borrow(), events);
}
