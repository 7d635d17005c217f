//! Reads of unwritten memory, and addresses that a type does not allow.

use super::*;
use crate::checks::{Alignment, Checkers, Initialisation};
use crate::simulator::{SimChecks, UnwrittenMemory};

struct Watch<T>(T, Thread);

impl<T: Observer> Watch<T> {
    fn new(check: T) -> Self {
        check.on_launch(&SimLaunch::new("test", [2, 1, 1], [32, 1, 1]));
        check.on_block([0, 0, 0]);
        Self(check, Thread { block_idx: [0; 3], block: 0, rank: 0, thread_idx: [7, 0, 0], linear: 7 })
    }

    fn access(&self, kind: AccessKind, place: (usize, u32), space: Space) -> Step {
        self.0.on_access(&self.1, &accessed(kind, place, 3, space))
    }
}

#[test]
fn shared_memory_must_be_written_before_it_is_read_byte_by_byte() {
    let watch = Watch::new(Initialisation::new());
    watch.access(AccessKind::Write, (100, 3), SHARED).expect("a write");
    watch.access(AccessKind::Read, (101, 2), SHARED).expect("written");
    let fault = watch.access(AccessKind::Read, (100, 4), SHARED).expect_err("the last byte");
    let SimFault::Uninitialised { memory, bytes, byte, line, thread, .. } = &fault else { panic!("{fault}") };
    assert_eq!((memory, *bytes, *byte, *line, *thread), (&UnwrittenMemory::Shared, 4, 3, 3, [7, 0, 0]));
    assert!(fault.to_string().contains("finds byte 3 of them unwritten"), "{fault}");
}

#[test]
fn a_read_modify_write_reads_too() {
    let watch = Watch::new(Initialisation::new());
    let kind = |reads, writes| AccessKind::Atomic {
        reads,
        writes,
        order: Ordering::Relaxed,
        scope: MemoryScope::Block,
    };
    assert!(watch.access(kind(true, true), (8, 4), SHARED).is_err());
    watch.access(kind(false, true), (8, 4), SHARED).expect("a store");
    watch.access(kind(true, true), (8, 4), SHARED).expect("written");
}

#[test]
fn shared_memory_is_fresh_in_each_block_and_global_memory_is_written_unless_allocated_otherwise() {
    let watch = Watch::new(Initialisation::new());
    watch.access(AccessKind::Write, (4094, 4), SHARED).expect("a write");
    watch.access(AccessKind::Read, (4094, 4), SHARED).expect("written, in two pages");
    watch.0.on_thread_end(&watch.1);
    watch.0.on_block([1, 0, 0]);
    assert!(watch.access(AccessKind::Read, (4094, 4), SHARED).is_err());
    watch.access(AccessKind::Read, (8, 4), Space::Global).expect("in no allocation");
}

#[test]
fn an_address_must_be_a_multiple_of_the_alignment() {
    let watch = Watch::new(Alignment::new());
    watch.access(AccessKind::Read, (64, 16), Space::Global).expect("aligned");
    let fault = watch.access(AccessKind::Write, (72, 16), SHARED).expect_err("half of it");
    let SimFault::Misaligned { memory, align, beyond, .. } = &fault else { panic!("{fault}") };
    assert_eq!((*memory, *align, *beyond), ("shared", 16, 8));
}

#[test]
fn only_what_is_on_watches() {
    let count = |checks: SimChecks| Checkers::new(&checks).observers().count();
    assert_eq!(count(SimChecks::NONE), 0);
    assert_eq!(count(SimChecks { races: true, ..SimChecks::NONE }), 1);
    assert_eq!(count(SimChecks::ALL), 3);
}
