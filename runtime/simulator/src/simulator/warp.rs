//! Operations of a warp: the lanes of a mask meet and see each other's values.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::facts::{Expected, Line, Meeting, MemoryScope};
use super::fault::SimFault;
use super::machine::{Machine, WaitKind};
use super::problem::{Absence, MaskProblem};
use super::raise::FaultSite;
use super::shape::WARP;
use super::waiting::Waiting;

/// The name of `sync_warp`, the only warp operation that may join lanes at different lines.
pub(super) const SYNC_WARP: &str = "sync_warp";

/// A warp while its block runs.
pub(super) struct Warp {
    /// The lanes that exist; fewer than 32 in the last warp of some blocks.
    exists: u32,
    /// The lanes that have returned from the kernel.
    pub returned: Cell<u32>,
    /// Operations that wait for lanes.
    open: RefCell<Vec<Rc<Exchange>>>,
    /// Places at which lanes ask who is with them.
    pub together: RefCell<Vec<Rc<super::meeting::Together>>>,
}

/// One operation of a warp.
pub(super) struct Exchange {
    operation: &'static str,
    /// Its number for observers.
    number: u64,
    at: Line,
    mask: u32,
    /// The lanes of the mask that take part: those that exist, and have not returned.
    expected: Cell<u32>,
    arrived: Cell<u32>,
    payloads: [Cell<[u8; 16]>; WARP as usize],
    /// The bytes of the lanes' values beyond the first sixteen, in pieces of sixteen for each lane; empty in most
    /// operations.
    further: RefCell<Vec<[[u8; 16]; WARP as usize]>>,
    fibers: [Cell<u32>; WARP as usize],
}

/// The values of a warp operation's lanes.
pub struct WarpView(Rc<Exchange>);

impl WarpView {
    /// The value of this lane, or `None` if it takes no part.
    #[inline]
    pub fn lane(&self, lane: u32) -> Option<[u8; 16]> {
        let part = lane < WARP && self.participants() >> lane & 1 == 1;
        part.then(|| self.0.payloads[lane as usize].get())
    }

    /// The bytes from `16 * piece` on of what this lane brought, or `None` if it takes no part or brought fewer.
    #[inline]
    pub fn piece(&self, lane: u32, piece: usize) -> Option<[u8; 16]> {
        let first = self.lane(lane)?;
        match piece.checked_sub(1) {
            None => Some(first),
            Some(further) => self.0.further.borrow().get(further).map(|lanes| lanes[lane as usize]),
        }
    }

    /// The lanes that take part, bit `i` for lane `i`.
    #[inline]
    pub fn participants(&self) -> u32 {
        self.0.expected.get()
    }
}

impl Warp {
    /// A warp of the first `lanes` lanes.
    pub fn new(lanes: u32) -> Self {
        let exists = u32::MAX >> (WARP - lanes);
        Self { exists, returned: Cell::new(0), open: RefCell::default(), together: RefCell::default() }
    }

    /// The lanes that exist and have not returned.
    pub fn present(&self) -> u32 {
        self.exists & !self.returned.get()
    }

    /// A lane returns from the kernel.
    pub fn leave(&self, machine: &Machine<'_>, lane: u32) {
        self.returned.update(|lanes| lanes | 1 << lane);
        if !self.open.borrow().is_empty() {
            self.forsake(machine, lane);
        }
    }

    /// Takes the lane out of the operations that wait for it, or raises a fault.
    #[cold]
    fn forsake(&self, machine: &Machine<'_>, lane: u32) {
        let waiting: Vec<_> =
            self.open.borrow().iter().filter(|e| e.mask >> lane & 1 == 1).cloned().collect();
        for exchange in waiting {
            let waits = exchange.arrived.get().trailing_zeros();
            machine.check_returned(waits, exchange.operation, exchange.mask, 1 << lane, exchange.at);
            exchange.expected.update(|lanes| lanes & !(1 << lane));
            self.complete_if_full(machine, &exchange, None);
        }
    }

    /// The open operation with this mask, or a new one.
    fn join(&self, machine: &Machine<'_>, operation: &'static str, mask: u32, at: Line) -> Rc<Exchange> {
        let found = self.open.borrow().iter().find(|e| e.mask == mask).cloned();
        if let Some(exchange) = found {
            let alike = std::ptr::eq(exchange.operation, operation) || exchange.operation == operation;
            if !alike || !(exchange.at == at || operation == SYNC_WARP) {
                exchange.raise_mismatch(machine, operation, at);
            }
            return exchange;
        }
        let expected = mask & self.exists & !self.returned.get();
        let exchange = Rc::new(Exchange::new(machine, operation, mask, expected, at));
        self.open.borrow_mut().push(exchange.clone());
        exchange
    }

    /// Ends the operation once all its lanes have come; all but the running `last` are let go on.
    fn complete_if_full(&self, machine: &Machine<'_>, exchange: &Rc<Exchange>, last: Option<u32>) -> bool {
        let expected = exchange.expected.get();
        if exchange.arrived.get() != expected {
            return false;
        }
        self.open.borrow_mut().retain(|open| !Rc::ptr_eq(open, exchange));
        machine.counters.exchanges.update(|n| n + 1);
        exchange.release(machine, last);
        let Exchange { operation, at, .. } = **exchange;
        machine
            .notify(|observer| observer.on_exchange(operation, machine.here.get().block_idx, expected, at));
        true
    }
}

impl Exchange {
    fn new(machine: &Machine<'_>, operation: &'static str, mask: u32, expected: u32, at: Line) -> Self {
        let number = if machine.is_watched() { machine.next_number() } else { 0 };
        let payloads = [const { Cell::new([0; 16]) }; WARP as usize];
        let fibers = [const { Cell::new(0) }; WARP as usize];
        let (expected, arrived) = (Cell::new(expected), Cell::new(0));
        let further = RefCell::default();
        Self { operation, number, at, mask, expected, arrived, payloads, further, fibers }
    }

    /// Its identity for observers; only `sync_warp` orders memory.
    ///
    /// Source: CUDA C++ Programming Guide, warp shuffle, vote and match functions, which imply no
    /// memory barrier, and `__syncwarp`, which does.
    fn meeting(&self, machine: &Machine<'_>) -> Meeting {
        let orders = (self.operation == SYNC_WARP).then(|| machine.orders(MemoryScope::Block)).flatten();
        let of = Expected::Lanes(self.mask);
        Meeting { number: self.number, name: self.operation, of, orders, waits: true }
    }

    /// Keeps a lane's value.
    fn put(&self, lane: u32, pieces: &[[u8; 16]]) {
        let Some((first, further)) = pieces.split_first() else { return };
        self.payloads[lane as usize].set(*first);
        if further.is_empty() {
            return;
        }
        let mut kept = self.further.borrow_mut();
        let pieces = further.len().max(kept.len());
        kept.resize(pieces, [[0; 16]; WARP as usize]);
        for (lanes, piece) in kept.iter_mut().zip(further) {
            lanes[lane as usize] = *piece;
        }
    }

    fn release(&self, machine: &Machine<'_>, last: Option<u32>) {
        let waiting = self.arrived.get() & !last.map_or(0, |lane| 1 << lane);
        let mut ready = machine.queues.ready.borrow_mut();
        ready.extend(
            (0..WARP).filter(|lane| waiting >> lane & 1 == 1).map(|lane| self.fibers[lane as usize].get()),
        );
    }

    #[cold]
    fn raise_mismatch(&self, machine: &Machine<'_>, operation: &'static str, at: Line) -> ! {
        let lane = self.arrived.get().trailing_zeros();
        let here = machine.here.get();
        let linear = here.linear / WARP * WARP + lane;
        let there = Waiting {
            operation: self.operation,
            file: self.at.file.to_owned(),
            line: self.at.line,
            count: self.arrived.get().count_ones(),
            block: here.block_idx,
            thread: machine.shape.coords[linear as usize],
            barrier: None,
            registers: None,
        };
        let problem = MaskProblem::LaneElsewhere { lane, at: Box::new(there), mask: self.mask };
        machine.raise_mask(here.linear % WARP, operation, self.mask, at, problem)
    }
}

impl Machine<'_> {
    /// Waits for the lanes of `mask`, then shows what each brought.
    #[inline(always)]
    pub(super) fn exchange(
        &self,
        operation: &'static str,
        mask: u32,
        payload: [u8; 16],
        at: Line,
    ) -> WarpView {
        self.exchange_all(operation, mask, &[payload], at)
    }

    /// As [`exchange`](Self::exchange), of values of any size.
    #[inline(always)]
    pub(super) fn exchange_all(
        &self,
        operation: &'static str,
        mask: u32,
        pieces: &[[u8; 16]],
        at: Line,
    ) -> WarpView {
        let (exchange, wait) = self.bring(operation, mask, pieces, at);
        if self.is_watched() {
            self.tell_arrival(&exchange.meeting(self), at);
        }
        if wait {
            self.suspend();
        }
        if self.is_watched() {
            self.tell_departure(&exchange.meeting(self));
        }
        WarpView(exchange)
    }

    /// The running lane passes a value to an operation of its warp. Returns whether it has to wait.
    fn bring(
        &self,
        operation: &'static str,
        mask: u32,
        pieces: &[[u8; 16]],
        at: Line,
    ) -> (Rc<Exchange>, bool) {
        self.need_fibers(operation, at);
        let here = self.here.get();
        let lane = here.linear % WARP;
        if mask >> lane & 1 == 0 {
            self.raise_mask(lane, operation, mask, at, MaskProblem::CallerMissing { lane });
        }
        let warp = &self.block().warps[(here.linear / WARP) as usize];
        self.check_returned(lane, operation, mask, warp.returned.get(), at);
        let exchange = warp.join(self, operation, mask, at);
        exchange.put(lane, pieces);
        exchange.fibers[lane as usize].set(here.fiber);
        exchange.arrived.update(|lanes| lanes | 1 << lane);
        let wait = !warp.complete_if_full(self, &exchange, Some(lane));
        if wait {
            self.note_wait(WaitKind::Warp { operation, mask }, at);
        }
        (exchange, wait)
    }

    /// Raises a fault since the running lane has read `lane`, which takes no part: a GPU gives any value then.
    ///
    /// Source: CUDA C++ Programming Guide, warp shuffle functions.
    pub(super) fn raise_source(&self, operation: &'static str, mask: u32, lane: u32, at: Line) {
        if !self.launch.settings.checks.initialisation {
            return;
        }
        let warp = &self.block().warps[(self.here.get().linear / WARP) as usize];
        let why = match () {
            () if mask >> lane & 1 == 0 => Absence::Unnamed { mask },
            () if warp.exists >> lane & 1 == 0 => Absence::Beyond { threads: self.shape.threads },
            () => Absence::Returned,
        };
        let FaultSite { kernel, file, line, block, thread } = self.fault_place(at);
        self.raise(SimFault::ShuffleSource { kernel, operation, lane, why, file, line, block, thread })
    }

    /// Raises a fault for `lane` if its mask names a lane that has returned, unless those pass.
    fn check_returned(&self, lane: u32, operation: &'static str, mask: u32, returned: u32, at: Line) {
        let gone = mask & returned;
        if gone != 0 && !self.launch.settings.returned_threads_pass {
            let problem = MaskProblem::LaneLeft { lane: gone.trailing_zeros() };
            self.raise_mask(lane, operation, mask, at, problem);
        }
    }
}
