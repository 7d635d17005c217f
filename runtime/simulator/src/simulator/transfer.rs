//! Work of the copy engine that threads have started and that is not complete.
//!
//! A [`Transfer`] moves pieces of memory and completes in one of two ways: barriers count its bytes, or the thread that
//! started it waits for its group. Bytes move at the latest time that hardware may take: those that barriers count once no
//! thread can go on without them, those of groups when their group is waited for. In the orders that odd seeds make they
//! move at once.

use std::collections::VecDeque;

use super::facts::{Access, AccessKind, Line, MemoryScope, TransferEvent, TransferKind};
use super::groups::Groups;
use super::machine::{Here, Machine};
use super::problem::BulkProblem;

/// A function that combines elements in memory with others. It takes the addresses of both and a number of bytes.
pub type Join = fn(*mut u8, *const u8, usize);

/// The operation of the copy engine on memory that it reduces into.
///
/// Source: PTX ISA, `cp.reduce.async.bulk`: each element atomically, relaxed, for the device.
const REDUCTION: AccessKind = AccessKind::Atomic {
    reads: true,
    writes: true,
    order: std::sync::atomic::Ordering::Relaxed,
    scope: MemoryScope::Device,
};

/// Bytes side by side that move as one.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub to: *mut u8,
    /// Where they come from; `None` of bytes that are filled.
    pub from: Option<*const u8>,
    pub bytes: usize,
}

/// An operation of the copy engine.
pub(super) struct Transfer {
    /// Its number for observers.
    pub number: u64,
    pub pieces: Vec<Piece>,
    /// The barriers that count its bytes, each with how many; none of a transfer that belongs to a group.
    pub barriers: Vec<(usize, usize)>,
    /// The builtin.
    pub operation: &'static str,
    pub kind: TransferKind,
    pub at: Line,
    /// The byte of pieces that come from nowhere.
    pub fill: u8,
    /// The operation that combines elements with the old ones, and the size of an element in bytes; `None` if they replace
    /// the old ones.
    pub join: Option<(Join, usize)>,
    /// The bytes that were read and are not written yet.
    held: Option<Vec<u8>>,
    /// Whether all of it is done.
    done: bool,
    /// Whether its thread has waited for its reads.
    waited: bool,
}

/// A copy of a thread's own, from global to shared memory.
///
/// It is done when the thread waits for its group, the latest time that hardware may take. A kernel that reads before it
/// waits sees the old values.
pub(super) struct Copy {
    /// Its number for observers.
    pub number: u64,
    pub to: *mut u8,
    pub from: *const u8,
    pub bytes: usize,
}

/// Something that happens by itself and that a barrier counts.
enum Counted {
    Transfer(Transfer),
    /// An arrival that waits for a thread's own copies.
    Arrival {
        here: Here,
        barrier: usize,
        at: Line,
    },
}

/// The transfers that are in flight.
#[derive(Default)]
pub(super) struct Transfers {
    groups: Groups<Transfer>,
    /// The copies of threads' own.
    copies: Groups<Copy>,
    counted: VecDeque<Counted>,
    /// The transfers into each barrier's phases that no thread has waited for: the rank of the block whose memory they write,
    /// the barrier, and who started them where.
    unseen: Vec<Unseen>,
}

/// A transfer that no thread has waited for.
struct Unseen {
    barrier: usize,
    /// The phase in which it was started.
    phase: u64,
    rank: u32,
    operation: &'static str,
    site: (Line, Here),
}

impl Copy {
    fn run(&self) {
        // SAFETY: both were references of this size when the copy was started, to memory of the launch, which outlives its
        // threads.
        unsafe { self.to.copy_from_nonoverlapping(self.from, self.bytes) }
    }
}

impl Transfer {
    pub fn new(
        (operation, kind): (&'static str, TransferKind),
        pieces: Vec<Piece>,
        barriers: Vec<(usize, usize)>,
        at: Line,
    ) -> Self {
        Self {
            number: 0,
            pieces,
            barriers,
            operation,
            kind,
            at,
            fill: 0,
            join: None,
            held: None,
            done: false,
            waited: false,
        }
    }

    /// Reads what has not been read.
    fn read(&mut self) {
        if self.held.is_some() || self.done {
            return;
        }
        let mut held = Vec::with_capacity(self.pieces.iter().map(|piece| piece.bytes).sum());
        for piece in &self.pieces {
            match piece.from {
                // SAFETY: memory of the launch, which lasts as long as the blocks that run.
                Some(from) => {
                    held.extend_from_slice(unsafe { std::slice::from_raw_parts(from, piece.bytes) })
                }
                None => held.resize(held.len() + piece.bytes, self.fill),
            }
        }
        self.held = Some(held);
    }

    /// Writes what was read.
    fn write(&mut self) {
        if self.done {
            return;
        }
        self.read();
        let held = self.held.take().unwrap_or_default();
        let mut rest = held.as_slice();
        for piece in self.pieces.iter().take_while(|_| !rest.is_empty()) {
            let (now, later) = rest.split_at(piece.bytes);
            match self.join {
                Some((join, _)) => join(piece.to, now.as_ptr(), now.len()),
                // SAFETY: as in `read`; the bytes are ours.
                None => unsafe { piece.to.copy_from_nonoverlapping(now.as_ptr(), now.len()) },
            }
            rest = later;
        }
        self.done = true;
    }
}

impl Machine<'_> {
    /// Starts a copy of the running thread's own.
    pub(super) fn start_copy(&self, copy: Copy) {
        self.transfers.borrow_mut().copies.start(self.here.get().owner(), copy);
    }

    /// Closes the running thread's group of copies of its own.
    pub(super) fn commit_copies(&self) {
        self.transfers.borrow_mut().copies.commit(self.here.get().owner());
    }

    /// Performs the running thread's copies, except for those of its last `left` groups.
    pub(super) fn wait_copies(&self, left: usize) {
        let copies = self.transfers.borrow_mut().copies.take(self.here.get().owner(), left);
        for copy in copies {
            copy.run();
            if self.interests.accesses && !self.unordered.get() {
                self.tell_copied(copy.number);
            }
        }
    }

    /// Starts work of the copy engine for the running thread.
    pub(super) fn start_transfer(&self, mut transfer: Transfer) {
        let at = transfer.at;
        transfer.number = if self.is_watched() { self.next_number() } else { 0 };
        self.check_pieces(&transfer);
        let phases = transfer.barriers.iter();
        let phases: Vec<u64> = phases
            .map(|(barrier, bytes)| self.mbarrier_asked(transfer.operation, *barrier, *bytes, at))
            .collect();
        self.tell_transfer(&transfer);
        let here = self.here.get();
        let mut transfers = self.transfers.borrow_mut();
        if transfer.barriers.is_empty() {
            if self.moves_at_once() {
                transfer.write();
            }
            transfers.groups.start(here.owner(), transfer);
            return;
        }
        for ((barrier, _), phase) in transfer.barriers.iter().zip(phases) {
            let rank = self.shared.rank_of(*barrier, here.rank).unwrap_or(here.rank);
            let (barrier, operation) = (*barrier, transfer.operation);
            transfers.unseen.push(Unseen { barrier, phase, rank, operation, site: (at, here) });
        }
        transfers.counted.push_back(Counted::Transfer(transfer));
        drop(transfers);
        if self.moves_at_once() {
            while self.finish_transfer() {}
        }
    }

    /// An arrival at a barrier once the copies that the running thread has started are done.
    pub(super) fn arrive_after_copies(&self, barrier: usize, at: Line) {
        let here = self.here.get();
        self.transfers.borrow_mut().counted.push_back(Counted::Arrival { here, barrier, at });
        if self.moves_at_once() {
            while self.finish_transfer() {}
        }
    }

    /// Closes the running thread's group.
    pub(super) fn commit_transfers(&self) {
        self.transfers.borrow_mut().groups.commit(self.here.get().owner());
    }

    /// Waits for the running thread's groups but the last `left`: for all that they do, or for their reads.
    pub(super) fn wait_transfers(&self, left: usize, reads_alone: bool) {
        let here = self.here.get();
        let mut transfers = self.transfers.borrow_mut();
        let mut numbers = Vec::new();
        for transfer in transfers.groups.closed(here.owner(), left) {
            if reads_alone {
                transfer.read()
            } else {
                transfer.write()
            }
            transfer.waited = true;
            numbers.push(transfer.number);
        }
        if !reads_alone {
            transfers.groups.take(here.owner(), left);
        }
        drop(transfers);
        if !self.unordered.get() {
            let by = self.running();
            for number in numbers {
                self.notify(|observer| observer.on_transfer_waited(&by, number, reads_alone));
            }
        }
    }

    /// Finishes something that a barrier counts, now that no thread can go on without it; whether there was anything.
    pub(super) fn finish_transfer(&self) -> bool {
        let next = {
            let mut transfers = self.transfers.borrow_mut();
            let count = transfers.counted.len() as u64;
            // The oldest, or any: nothing orders them.
            let place = count.checked_sub(1).map(|_| match self.launch.settings.seed {
                0 => 0,
                _ => (self.shape.turn(self.counters.barriers.get() + count, count) - 1) as usize,
            });
            place.and_then(|place| transfers.counted.remove(place))
        };
        match next {
            None => return false,
            Some(Counted::Transfer(mut transfer)) => {
                transfer.write();
                for (barrier, bytes) in &transfer.barriers {
                    self.mbarrier_counted(transfer.number, *barrier, *bytes, transfer.at);
                }
            }
            Some(Counted::Arrival { here, barrier, at }) => {
                let copies = self.transfers.borrow_mut().copies.take_all(here.owner());
                for copy in copies {
                    copy.run();
                    self.notify(|observer| observer.on_transfer_counted(copy.number, barrier));
                }
                self.mbarrier_arrived_late(barrier, at);
            }
        }
        true
    }

    /// A thread has found the phases of a barrier before this one complete: it has seen what they counted.
    pub(super) fn see_transfers(&self, barrier: usize, phase: u64) {
        let seen = |unseen: &Unseen| unseen.barrier == barrier && unseen.phase < phase;
        self.transfers.borrow_mut().unseen.retain(|unseen| !seen(unseen));
    }

    /// The running thread returns from the kernel: the copy engine reads nothing for it any more, and nothing writes the
    /// memory of its block once that has ended.
    pub(super) fn leave_transfers(&self) {
        let here = self.here.get();
        let left = {
            let mut transfers = self.transfers.borrow_mut();
            let mut all = transfers.groups.take_all(here.owner());
            let unread = all.iter().find(|transfer| !transfer.waited);
            let unread = unread.map(|transfer| (transfer.operation, (transfer.at, here)));
            all.iter_mut().filter(|transfer| transfer.held.is_some()).for_each(Transfer::write);
            unread
        };
        if let Some((operation, (at, _))) = left {
            self.raise_misuse(operation, BulkProblem::NotWaitedFor, at);
        }
        if self.block().live.get() == 0 {
            self.leave_unseen(here.rank);
        }
    }

    /// All threads of the block of this rank have returned.
    fn leave_unseen(&self, rank: u32) {
        let unseen = {
            let transfers = self.transfers.borrow();
            transfers.unseen.iter().find(|unseen| unseen.rank == rank).map(|u| (u.operation, u.site))
        };
        if let Some((operation, (at, here))) = unseen {
            let owner = self.blocks[rank as usize].idx.get();
            self.here.set(here);
            self.raise_misuse(operation, BulkProblem::NobodyWaited { block: owner }, at);
        }
    }

    fn moves_at_once(&self) -> bool {
        !self.launch.settings.seed.is_multiple_of(2)
    }

    fn check_pieces(&self, transfer: &Transfer) {
        for piece in &transfer.pieces {
            if self.mbarriers.overlapping(piece.to.addr(), piece.bytes).is_some() {
                self.raise_misuse(transfer.operation, super::MbarrierProblem::AsData, transfer.at);
            }
        }
    }

    /// Tells that the running thread starts a transfer.
    fn tell_transfer(&self, transfer: &Transfer) {
        if !self.interests.accesses {
            return;
        }
        let by = self.instruction(transfer.at);
        let access = |address: usize, bytes: usize, kind| Access {
            address,
            bytes: bytes as u32,
            align: 1,
            space: self.space_of(address),
            kind,
            by,
        };
        let reads = transfer
            .pieces
            .iter()
            .filter_map(|piece| Some(access(piece.from?.expose_provenance(), piece.bytes, AccessKind::Read)));
        let reads: Vec<Access> = reads.collect();
        let writes = transfer.pieces.iter();
        let as_written = |piece: &Piece| match transfer.join {
            None => vec![access(piece.to.expose_provenance(), piece.bytes, AccessKind::Write)],
            Some((_, element)) => {
                let elements = (0..piece.bytes).step_by(element);
                elements.map(|at| access(piece.to.expose_provenance() + at, element, REDUCTION)).collect()
            }
        };
        let writes: Vec<Access> = writes.flat_map(as_written).collect();
        let barriers: Vec<usize> = transfer.barriers.iter().map(|(barrier, _)| *barrier).collect();
        let event = TransferEvent {
            number: transfer.number,
            kind: transfer.kind,
            reads: &reads,
            writes: &writes,
            barriers: &barriers,
        };
        let thread = self.running();
        self.tell(|observer| observer.on_transfer_start(&thread, &event));
    }
}

impl Transfers {
    /// Forgets all: the blocks are others.
    pub fn reset(&mut self) {
        self.groups.clear();
        self.copies.clear();
        self.counted.clear();
        self.unseen.clear();
    }
}
