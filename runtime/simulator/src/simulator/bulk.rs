//! The operations of a simulated thread on barriers in shared memory that count, its own copies, and the copy engine.

use super::current::{current, with_current};
use super::facts::{Line, MbarrierUse, MemoryScope, ProxyFence, Space, TransferKind};
use super::machine::Machine;
use super::mbarrier::{Awaited, Patience};
use super::problem::BulkProblem;
use super::transfer::{Copy, Piece, Transfer};

/// Sizes and addresses of bulk copies are multiples of this, in bytes.
const UNIT: usize = 16;

/// Which memory a bulk copy reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkCopy {
    /// From global to shared memory; a barrier counts the bytes.
    Load,
    /// From shared to global memory, in the thread's group.
    Store,
    /// From shared memory to that of another block of the cluster, whose barrier counts the bytes.
    Send {
        /// Rank of that block.
        rank: u32,
    },
}

/// Which phase of a barrier a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseOf {
    /// The one before that of this parity.
    Parity(u32),
    /// The one of this number.
    Number(u32),
}

/// Starts a copy of the thread, which happens when its group is waited for.
#[track_caller]
pub fn copy_async(to: *mut u8, from: *const u8, bytes: usize) {
    let machine = current("copy_async");
    let number = if machine.is_watched() { machine.next_number() } else { 0 };
    if machine.interests.accesses {
        machine.tell_copy(number, from.addr(), to.addr(), bytes as u32, Line::caller());
    }
    machine.start_copy(Copy { number, to, from, bytes });
}

/// Closes the thread's group of copies.
pub fn copy_async_commit() {
    current("copy_async_commit").commit_copies();
}

/// Does the thread's copies but those of its last `left` groups.
pub fn copy_async_wait(left: usize) {
    current("copy_async_wait").wait_copies(left);
}

/// Makes a barrier at an address of shared memory, for `count` arrivals a phase.
#[track_caller]
pub fn mbarrier_init(place: *const u8, count: u32) {
    let machine = current("mbarrier_init");
    machine.mbarrier_init(place.addr(), count, machine.line(Line::caller()));
}

/// Ends the use of a barrier.
#[track_caller]
pub fn mbarrier_inval(place: *const u8) {
    let machine = current("mbarrier_inval");
    machine.mbarrier_inval(place.addr(), machine.line(Line::caller()));
}

/// Expects `bytes` more bytes, then arrives `count` times; the number of the phase.
#[track_caller]
pub fn mbarrier_arrive(operation: &'static str, place: *const u8, count: u32, bytes: u32) -> u64 {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    machine.mbarrier_arrive(
        operation,
        place.addr(),
        (count, bytes),
        MbarrierUse::Arrive(Some(MemoryScope::Block)),
        at,
    )
}

/// Arrives at the barrier that is at this place in block `rank` of the cluster; what the thread wrote is for that block's
/// threads if it is published, else only its loads are over.
#[track_caller]
pub fn mbarrier_arrive_at(operation: &'static str, place: *const u8, rank: u32, publishes: bool) {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    let remote = machine.map_shared_rank(place, rank, at);
    let own = rank == machine.here.get().rank;
    let arrival = match (publishes, own) {
        (true, _) => MbarrierUse::Arrive(Some(MemoryScope::Cluster)),
        (false, true) => MbarrierUse::Arrive(Some(MemoryScope::Block)),
        (false, false) => MbarrierUse::ArriveAfterLoads { orders: !machine.launch.settings.strict_arrivals },
    };
    machine.mbarrier_arrive(operation, remote.addr(), (1, 0), arrival, at);
}

/// Expects `bytes` more bytes.
#[track_caller]
pub fn mbarrier_expect(operation: &'static str, place: *const u8, bytes: u32) {
    let machine = current(operation);
    machine.mbarrier_expect(operation, place.addr(), bytes, machine.line(Line::caller()));
}

/// Waits for a phase, and acquires what threads of the scope released in it.
#[track_caller]
pub fn mbarrier_wait(operation: &'static str, place: *const u8, phase: PhaseOf, scope: MemoryScope) {
    let machine = current(operation);
    awaits(machine, operation, place, phase, (Patience::Wait, scope), machine.line(Line::caller()));
}

/// Whether a phase is complete; may wait for it until no thread can go on.
#[track_caller]
pub fn mbarrier_try_wait(operation: &'static str, place: *const u8, phase: PhaseOf) -> bool {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    awaits(machine, operation, place, phase, (Patience::Try, MemoryScope::Block), at)
}

/// Whether a phase is complete.
#[track_caller]
pub fn mbarrier_test_wait(operation: &'static str, place: *const u8, phase: PhaseOf) -> bool {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    awaits(machine, operation, place, phase, (Patience::Test, MemoryScope::Block), at)
}

fn awaits(
    machine: &Machine<'_>,
    operation: &'static str,
    place: *const u8,
    phase: PhaseOf,
    how: (Patience, MemoryScope),
    at: Line,
) -> bool {
    let awaited = match phase {
        PhaseOf::Parity(parity) => Awaited::Parity(parity & 1 == 1),
        PhaseOf::Number(number) => Awaited::Number(number),
    };
    machine.mbarrier_await(operation, place.addr(), awaited, how, at)
}

/// Arrives at a barrier once the copies that the thread has started by `copy_async` are done.
#[track_caller]
pub fn cp_async_mbarrier_arrive(place: *const u8) {
    let machine = current("cp_async_mbarrier_arrive");
    let at = machine.line(Line::caller());
    machine.mbarrier_asked("cp_async_mbarrier_arrive", place.addr(), 0, at);
    machine.arrive_after_copies(place.addr(), at);
}

/// Starts a bulk copy. A barrier of the block that is written counts the bytes, except those of a store.
///
/// `to` and `barrier` are addresses of this block's shared memory, also of a copy to another block.
#[track_caller]
pub fn bulk_copy(
    operation: &'static str,
    copy: BulkCopy,
    to: (*mut u8, usize),
    from: (*const u8, usize),
    barrier: *const u8,
) {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    check(machine, operation, copy, to, from, at);
    if from.1 == 0 {
        return;
    }
    let mapped = |place: *const u8| match copy {
        BulkCopy::Send { rank } => machine.map_shared_rank(place, rank, at),
        _ => place.cast_mut(),
    };
    let piece = Piece { to: mapped(to.0), from: Some(from.0), bytes: from.1 };
    let barriers = match copy {
        BulkCopy::Store => Vec::new(),
        _ => vec![(mapped(barrier).addr(), from.1)],
    };
    let kind = match copy {
        BulkCopy::Load => TransferKind::Load,
        BulkCopy::Store => TransferKind::Store,
        BulkCopy::Send { .. } => TransferKind::Send,
    };
    machine.start_transfer(Transfer::new((operation, kind), vec![piece], barriers, at));
}

/// Checks a bulk copy against the rules of hardware.
///
/// Source: PTX ISA, `cp.async.bulk`.
fn check(
    machine: &Machine<'_>,
    operation: &'static str,
    copy: BulkCopy,
    to: (*mut u8, usize),
    from: (*const u8, usize),
    at: Line,
) {
    let refuse = |problem| machine.raise_misuse(operation, problem, at);
    let is_shared = |address: usize| matches!(machine.space_of(address), Space::Shared { .. });
    let (reads_shared, writes_shared) = (copy != BulkCopy::Load, copy != BulkCopy::Store);
    if is_shared(from.0.addr()) != reads_shared {
        refuse(BulkProblem::Memory { written: false, shared: reads_shared });
    }
    if is_shared(to.0.addr()) != writes_shared {
        refuse(BulkProblem::Memory { written: true, shared: writes_shared });
    }
    if to.1 != from.1 {
        refuse(BulkProblem::Lengths { to: to.1, from: from.1 });
    }
    if !from.1.is_multiple_of(UNIT) {
        refuse(BulkProblem::Size { bytes: from.1 });
    }
    for (written, address) in [(false, from.0.addr()), (true, to.0.addr())] {
        if !address.is_multiple_of(UNIT) {
            refuse(BulkProblem::Misaligned { written, beyond: address % UNIT });
        }
    }
}

/// Closes the thread's group of bulk copies.
pub fn bulk_commit() {
    current("bulk_commit").commit_transfers();
}

/// Waits for the thread's groups of bulk copies but the last `left`: for all that they do, or for their reads.
pub fn bulk_wait(left: usize, reads_alone: bool) {
    current("bulk_wait").wait_transfers(left, reads_alone);
}

/// Makes the running thread's accesses visible to the copy engine.
#[track_caller]
pub fn proxy_fence(fence: ProxyFence) {
    let at = Line::caller();
    with_current(|machine| {
        if machine.is_watched() && !machine.unordered.get() {
            let (by, at) = (machine.running(), machine.line(at));
            machine.notify(|observer| observer.on_proxy_fence(&by, fence, at));
        }
    });
}
