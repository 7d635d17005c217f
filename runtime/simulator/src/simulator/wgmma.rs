//! Products of matrices by a warpgroup: 128 threads issue them together, and they run on while the threads do something else.
//!
//! A product reads its operands in shared memory at the latest time that hardware may take: when the first thread waits
//! for its group, and in the orders that odd seeds make, at once. From the issue to the wait the registers of the sums hold
//! a NaN: the sums themselves are kept here, and a register that holds something else at the wait was
//! written meanwhile, which is a fault. Source: PTX ISA, `wgmma`.

use rustc_hash::FxHashMap;

use super::current::current;
use super::facts::{Access, AccessKind, Line, Space, TransferEvent, TransferKind};
use super::machine::{Machine, WaitKind};
use super::problem::WgmmaProblem;
use super::product::{Product, WgmmaLeft, WgmmaProduct};
use super::sums::{IN_FLIGHT, Sums};

/// Threads of a warpgroup.
pub(super) const WARPGROUP: u32 = 128;

/// The threads of one warpgroup, by block and number.
#[derive(Default)]
pub(super) struct Warpgroups(FxHashMap<([u32; 3], u32), Warpgroup>);

/// A warpgroup that has multiplied.
#[derive(Default)]
struct Warpgroup {
    /// A product that waits for threads.
    open: Option<Open>,
    /// Sums that are computed, or are and some thread has not waited for.
    sums: Vec<Sums>,
    /// The number of the last sums.
    last: u64,
    /// Its number for observers, of which 0 is none, and the products that it has begun that some thread has not waited for:
    /// the group, the count, the number, and the threads that have.
    number: u64,
    count: u32,
    begun: Vec<(u64, u32, u64, u128)>,
    threads: Vec<Thread>,
}

/// The state of a thread of a warpgroup.
#[derive(Clone, Copy, Default)]
struct Thread {
    /// Groups that it has closed.
    committed: u64,
    /// Whether it has called `wgmma_fence` since it last waited.
    fenced: bool,
}

/// A product at which threads arrive.
struct Open {
    product: WgmmaProduct,
    at: Line,
    /// The thread that arrived first.
    first: u32,
    /// The sums that are in flight already, if they are.
    sums: Option<u64>,
    group: u64,
    arrived: u128,
    waiting: Vec<u32>,
    /// The registers of each thread, and what they held.
    places: Vec<usize>,
    values: Vec<u32>,
    left: Vec<[u32; 4]>,
}

/// Bytes from the start of the block's shared memory to a place in it, which a descriptor is made of.
#[track_caller]
pub fn described_place(operation: &'static str, place: *const u8) -> u32 {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    let memory = machine.shared.around(place.addr(), machine.here.get().rank);
    let Some(memory) = memory.filter(|memory| memory.start == machine.shared_start()) else {
        machine.raise_misuse(operation, WgmmaProblem::NotShared, at)
    };
    (place.addr() - memory.start) as u32
}

/// Orders what the thread did to registers before what products do to them.
#[track_caller]
pub fn wgmma_fence() {
    let machine = current("wgmma_fence");
    let at = machine.line(Line::caller());
    machine.in_warpgroup("wgmma_fence", at, |_, group, thread| group.threads[thread as usize].fenced = true);
}

/// Closes the thread's group of products.
#[track_caller]
pub fn wgmma_commit() {
    let machine = current("wgmma_commit");
    let at = machine.line(Line::caller());
    machine
        .in_warpgroup("wgmma_commit", at, |_, group, thread| group.threads[thread as usize].committed += 1);
}

/// Waits for the thread's groups of products but the last `left`; it then has their sums.
#[track_caller]
pub fn wgmma_wait(left: usize) {
    let machine = current("wgmma_wait");
    machine.wait_products(left as u64, machine.line(Line::caller()));
}

/// Returns whether a product computes sums of any thread.
#[doc(hidden)]
#[inline]
pub fn has_products_in_flight() -> bool {
    current("registers").counters.in_flight.get() != 0
}

/// Ends the launch if these bytes are registers of sums that a product computes.
#[doc(hidden)]
pub fn touch(address: usize, bytes: usize, writes: bool, at: Line) {
    current("registers").touch(address, bytes, writes, at);
}

/// Starts a product whose sums are at an address of the calling thread.
#[track_caller]
pub fn wgmma(product: &WgmmaProduct, sums: *mut u32) {
    let machine = current(product.operation);
    machine.multiply(product, sums.expose_provenance(), machine.line(Line::caller()));
}

impl Machine<'_> {
    /// Does something with the running thread's warpgroup, given the thread's number in it.
    fn in_warpgroup<R>(
        &self,
        operation: &'static str,
        at: Line,
        work: impl FnOnce(&Self, &mut Warpgroup, u32) -> R,
    ) -> R {
        let here = self.here.get();
        let (number, threads) = (here.linear / WARPGROUP, self.shape.threads);
        if (number + 1) * WARPGROUP > threads {
            self.raise_misuse(operation, WgmmaProblem::Threads { threads }, at);
        }
        let mut all = self.warpgroups.borrow_mut();
        let group = all.0.entry((here.block_idx, number)).or_default();
        group.threads.resize(WARPGROUP as usize, Thread::default());
        work(self, group, here.linear % WARPGROUP)
    }

    /// The running thread issues a product, which begins once all threads of its warpgroup do.
    fn multiply(&self, product: &WgmmaProduct, place: usize, at: Line) {
        let operation = product.operation;
        self.need_fibers(operation, at);
        let fiber = self.here.get().fiber;
        let problem = self.in_warpgroup(operation, at, |machine, group, thread| {
            machine.returned(thread)?;
            group.arrive(product, place, thread, at)
        });
        let full = problem.unwrap_or_else(|problem| self.raise_misuse(operation, problem, at));
        if !full {
            self.in_warpgroup(operation, at, |_, group, _| {
                group.open.as_mut().map(|open| open.waiting.push(fiber))
            });
            self.note_wait(WaitKind::Warpgroup { operation }, at);
            return self.suspend();
        }
        let begun = self.in_warpgroup(operation, at, Self::begin);
        let waiting = begun.unwrap_or_else(|problem| self.raise_misuse(operation, problem, at));
        self.queues.ready.borrow_mut().extend(waiting);
    }

    /// A thread of the running thread's warpgroup that has returned is missed.
    fn returned(&self, thread: u32) -> Result<(), WgmmaProblem> {
        let first = (self.here.get().linear - thread) / 32;
        let gone = (0..4).find_map(|warp| {
            let lanes = self.block().warps[(first + warp) as usize].returned.get();
            (lanes != 0).then(|| warp * 32 + lanes.trailing_zeros())
        });
        gone.map_or(Ok(()), |thread| Err(WgmmaProblem::Returned { thread }))
    }

    /// All threads have come: the product begins. The fibers that wait for it.
    fn begin(&self, group: &mut Warpgroup, _: u32) -> Result<Vec<u32>, WgmmaProblem> {
        let Some(open) = group.open.take() else { return Ok(Vec::new()) };
        let memory = self.shared_start();
        for (side, operand) in open.product.operands().into_iter().enumerate() {
            let Some(operand) = operand else { continue };
            if let Some((beyond, pattern)) = operand.misaligned() {
                return Err(WgmmaProblem::Misaligned { is_left: side == 0, beyond, pattern });
            }
            if !operand
                .lines()
                .all(|line| self.shared.is_in_one_array(memory + line, 16, self.here.get().rank))
            {
                return Err(WgmmaProblem::Outside { is_left: side == 0 });
            }
        }
        self.tell_product(group, &open, memory);
        let product = Product {
            product: open.product,
            left: open.left,
            memory,
            cores: self.launch.settings.tensor_cores,
        };
        let sums = match open.sums.and_then(|number| group.sums.iter_mut().find(|sums| sums.number == number))
        {
            Some(sums) => sums,
            None => {
                group.last += 1;
                let registers = product.product.registers;
                group.sums.push(Sums::new(group.last, registers, open.places, open.values, open.at));
                self.counters.in_flight.update(|n| n + WARPGROUP);
                let last = group.sums.len() - 1;
                &mut group.sums[last]
            }
        };
        (sums.last, sums.at) = (open.group, open.at);
        sums.products.push_back((open.group, product));
        if !self.launch.settings.seed.is_multiple_of(2) {
            sums.compute(u64::MAX);
        }
        Ok(open.waiting)
    }

    /// Tells that the running thread's warpgroup begins a product, which reads its operands until it is waited for.
    fn tell_product(&self, group: &mut Warpgroup, open: &Open, memory: usize) {
        if !self.interests.accesses {
            return;
        }
        if group.number == 0 {
            group.number = self.next_number() + 1;
        }
        group.count += 1;
        let number = self.next_number();
        group.begun.push((open.group, group.count, number, 0));
        let by = self.instruction(open.at);
        let space = Space::Shared { rank: self.here.get().rank };
        let access = |line: usize| Access {
            address: memory + line,
            bytes: 16,
            align: 1,
            space,
            kind: AccessKind::Read,
            by,
        };
        let operands = open.product.operands();
        let reads: Vec<Access> = operands
            .iter()
            .flatten()
            .flat_map(|place| place.lines().map(access).collect::<Vec<_>>())
            .collect();
        let event =
            TransferEvent { number, kind: TransferKind::Product, reads: &reads, writes: &[], barriers: &[] };
        let thread = self.running();
        self.tell(|observer| observer.on_transfer_start(&thread, &event));
    }

    /// The first byte of the block's shared memory, which descriptors count from.
    fn shared_start(&self) -> usize {
        self.dynamic_shared().0.expose_provenance()
    }

    /// The running thread waits for its groups but the last `left`.
    fn wait_products(&self, left: u64, at: Line) {
        let changed = self.in_warpgroup("wgmma_wait", at, |machine, group, thread| {
            let state = &mut group.threads[thread as usize];
            state.fenced = false;
            let over = state.committed.saturating_sub(left);
            let mut changed = None;
            for sums in &mut group.sums {
                sums.compute(over);
                if sums.last < over && sums.is_in_flight(thread) {
                    machine.counters.in_flight.update(|n| n - 1);
                    changed = changed.or(sums.give(thread));
                }
            }
            group.sums.retain(|sums| sums.returned != u128::MAX);
            let mut seen = Vec::new();
            for (_, count, number, waited) in group.begun.iter_mut().filter(|(of, ..)| *of < over) {
                if *waited >> thread & 1 == 0 {
                    *waited |= 1 << thread;
                    seen.push((group.number, (*count, *number)));
                }
            }
            group.begun.retain(|(.., waited)| *waited != u128::MAX);
            (changed, seen)
        });
        let (changed, seen) = changed;
        if !self.unordered.get() {
            let by = self.running();
            for (warpgroup, product) in seen {
                self.notify(|observer| observer.on_product_waited(&by, warpgroup, product));
            }
        }
        if let Some(register) = changed {
            self.raise_misuse("wgmma_wait", WgmmaProblem::Written { register }, at);
        }
    }

    /// The running thread returns: no other thread may wait for it.
    pub(super) fn leave_warpgroup(&self) {
        let here = self.here.get();
        let waits = {
            let all = self.warpgroups.borrow();
            let open =
                all.0.get(&(here.block_idx, here.linear / WARPGROUP)).and_then(|group| group.open.as_ref());
            open.map(|open| (open.product.operation, open.at))
        };
        if let Some((operation, at)) = waits {
            self.raise_misuse(operation, WgmmaProblem::Returned { thread: here.linear % WARPGROUP }, at);
        }
        if let Some((_, product)) = self.sums_in_flight(|_| Some(())) {
            self.raise_misuse("a product", WgmmaProblem::NotWaitedFor, product);
        }
    }

    /// The first sums of the running thread that are in flight and of which something is so, with that and the line of
    /// their last product.
    fn sums_in_flight<R>(&self, is: impl Fn(&Sums) -> Option<R>) -> Option<(R, Line)> {
        if self.counters.in_flight.get() == 0 {
            return None;
        }
        let here = self.here.get();
        let all = self.warpgroups.borrow();
        let group = all.0.get(&(here.block_idx, here.linear / WARPGROUP))?;
        let mut own = group.sums.iter().filter(|sums| sums.is_in_flight(here.linear % WARPGROUP));
        own.find_map(|sums| Some((is(sums)?, sums.at)))
    }

    /// The running thread reads or writes memory that may be registers of its sums.
    #[cold]
    fn touch(&self, address: usize, bytes: usize, writes: bool, at: Line) {
        let thread = self.here.get().linear % WARPGROUP;
        if let Some((register, product)) =
            self.sums_in_flight(|sums| sums.register_in(thread, address, bytes))
        {
            let (file, line) = (product.file.to_owned(), product.line);
            self.raise_misuse("an access", WgmmaProblem::Touched { register, writes, file, line }, at);
        }
    }
}

impl Warpgroups {
    /// Forgets all: the blocks are others.
    pub fn reset(&mut self) {
        self.0.clear();
    }
}

impl Warpgroup {
    /// A thread arrives at a product; whether it is the last.
    fn arrive(
        &mut self,
        product: &WgmmaProduct,
        place: usize,
        thread: u32,
        at: Line,
    ) -> Result<bool, WgmmaProblem> {
        let count = WARPGROUP as usize;
        let Thread { committed, fenced } = self.threads[thread as usize];
        let in_flight = |sums: &&Sums| sums.places[thread as usize] == place && sums.is_in_flight(thread);
        let sums = self.sums.iter().find(in_flight);
        match sums {
            None if !fenced => return Err(WgmmaProblem::NotFenced),
            Some(sums) if sums.registers != product.registers => return Err(WgmmaProblem::OtherShape),
            Some(sums) => sums.untouched(thread).map_err(|register| WgmmaProblem::Written { register })?,
            None => {}
        }
        let sums = sums.map(|sums| sums.number);
        let open = self.open.get_or_insert_with(|| Open {
            product: *product,
            at,
            first: thread,
            sums,
            group: committed,
            arrived: 0,
            waiting: Vec::new(),
            places: vec![0; count],
            values: vec![0; count * product.registers],
            left: vec![[0; 4]; count],
        });
        let differs = open.product.differs(product);
        let differs = differs.or((open.sums != sums).then_some("whether the sums are in flight"));
        let differs =
            differs.or((open.group != committed).then_some("the number of groups that it has closed"));
        if let Some(what) = differs {
            return Err(WgmmaProblem::Differs { what, thread: open.first });
        }
        if open.at != at {
            let at = open.at;
            return Err(WgmmaProblem::Elsewhere {
                file: at.file.to_owned(),
                line: at.line,
                thread: open.first,
            });
        }
        open.bring(product, place, thread);
        Ok(open.arrived == u128::MAX)
    }
}

impl Open {
    /// Takes a thread's operands, and leaves its sums in flight.
    fn bring(&mut self, product: &WgmmaProduct, place: usize, thread: u32) {
        let index = thread as usize;
        self.arrived |= 1 << thread;
        self.places[index] = place;
        if let WgmmaLeft::Registers(registers) = product.left {
            self.left[index] = registers;
        }
        let registers = product.registers;
        let values = &mut self.values[index * registers..(index + 1) * registers];
        // SAFETY: the caller's registers, which last longer than the product, as the thread waits for it.
        unsafe {
            let place: *mut u32 = std::ptr::with_exposed_provenance_mut(place);
            place.copy_to_nonoverlapping(values.as_mut_ptr(), registers);
            std::slice::from_raw_parts_mut(place, registers).fill(IN_FLIGHT);
        }
    }
}
