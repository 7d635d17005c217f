//! Tells observers what threads do.

use super::SimFault;
use super::facts::{Access, AccessKind, Instruction, Line, Meeting, MemoryScope, Space, Thread};
use super::global;
use super::machine::{Here, Machine};
use super::observer::{Interests, Observer};
use super::problem::MbarrierProblem;

/// The events that any of these observers wants.
#[doc(hidden)]
pub fn interests(observers: &[&dyn Observer]) -> Interests {
    observers.iter().map(|observer| observer.interests()).fold(Interests::default(), |all, one| Interests {
        accesses: all.accesses | one.accesses,
        locals: all.locals | one.locals,
        branches: all.branches | one.branches,
        work: all.work | one.work,
        instances: all.instances | one.instances,
        synchronisations: all.synchronisations | one.synchronisations,
    })
}

impl Machine<'_> {
    /// The running thread, as observers know it.
    #[inline]
    pub(super) fn running(&self) -> Thread {
        let Here { thread_idx, linear, block_idx, rank, .. } = self.here.get();
        let [x, y, z] = block_idx.map(u64::from);
        let [width, height, _] = self.launch.grid.map(u64::from);
        Thread { block_idx, block: (z * height + y) * width + x, rank, thread_idx, linear }
    }

    /// The instruction that the running thread executes: the interpreter's, or a call at a line.
    #[inline]
    pub(super) fn instruction(&self, caller: Line) -> Instruction {
        self.instruction.get().unwrap_or(Instruction { at: caller, site: 0, instance: 0 })
    }

    /// The line that the running thread is at.
    #[inline]
    pub(super) fn line(&self, caller: Line) -> Line {
        self.instruction.get().map_or(caller, |instruction| instruction.at)
    }

    /// Whether anybody watches.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        !self.launch.observers.is_empty()
    }

    /// A number that no other meeting, copy or launch by a kernel has.
    pub(super) fn next_number(&self) -> u64 {
        let numbers = &self.counters.numbers;
        numbers.update(|n| n + 1);
        numbers.get()
    }

    /// Tells that the running thread arrives at a meeting.
    #[cold]
    pub(super) fn tell_arrival(&self, meeting: &Meeting, at: Line) {
        let by = self.running();
        self.notify(|observer| observer.on_arrive(&by, meeting, at));
    }

    /// Reports that the running thread leaves a meeting.
    #[cold]
    pub(super) fn tell_departure(&self, meeting: &Meeting) {
        let by = self.running();
        self.notify(|observer| observer.on_leave(&by, meeting));
    }

    /// Tells that the running thread has returned from the kernel.
    #[cold]
    pub(super) fn tell_end(&self) {
        let by = self.running();
        self.notify(|observer| observer.on_thread_end(&by));
    }

    /// Tells that the running thread passes a fence.
    #[cold]
    pub(super) fn tell_fence(&self, scope: MemoryScope, at: Line) {
        let (by, at) = (self.running(), self.line(at));
        self.notify(|observer| observer.on_fence(&by, scope, at));
    }

    /// Tells that the running thread starts an asynchronous copy.
    #[cold]
    pub(super) fn tell_copy(&self, number: u64, from: usize, to: usize, bytes: u32, at: Line) {
        let access = |address, kind| Access {
            address,
            bytes,
            align: bytes,
            space: self.space_of(address),
            kind,
            by: self.instruction(at),
        };
        let (from, to) = (access(from, AccessKind::Read), access(to, AccessKind::Write));
        let by = self.running();
        self.tell(|observer| observer.on_copy_start(&by, number, &from, &to));
    }

    /// Tells that the running thread has waited for a copy.
    pub(super) fn tell_copied(&self, number: u64) {
        let by = self.running();
        self.notify(|observer| observer.on_copy_end(&by, number));
    }

    /// Tells the observers, any of which may end the launch.
    #[inline]
    pub(super) fn tell(&self, tell: impl Fn(&dyn Observer) -> Result<(), SimFault>) {
        for observer in self.launch.observers {
            if let Err(fault) = tell(*observer) {
                self.raise(fault);
            }
        }
    }

    /// Tells of an access of memory that the running thread is about to make.
    ///
    /// # Safety
    /// The bytes can be read.
    #[inline]
    pub(super) unsafe fn tell_access(&self, access: &Access) {
        // SAFETY: the caller's word.
        unsafe { self.tell_access_as(access, |observer, by| observer.on_access(by, access)) };
    }

    /// Tells of an access to a row of a matrix, as [`Self::tell_access`].
    ///
    /// # Safety
    /// The bytes can be read.
    pub(super) unsafe fn tell_row(&self, access: &Access) {
        // SAFETY: the caller's word.
        unsafe { self.tell_access_as(access, |observer, by| observer.on_row(by, access)) };
    }

    unsafe fn tell_access_as(
        &self,
        access: &Access,
        tell: impl Fn(&dyn Observer, &Thread) -> Result<(), SimFault>,
    ) {
        let by = self.running();
        if access.kind == AccessKind::Write {
            self.counters.found.set(self.counters.atomics.get());
        }
        let is_shared = matches!(access.space, Space::Shared { .. });
        if is_shared && self.mbarriers.overlapping(access.address, access.bytes as usize).is_some() {
            self.raise_misuse("an access", MbarrierProblem::AsData, access.by.at);
        }
        for observer in self.launch.observers {
            match tell(*observer, &by) {
                Ok(()) => {}
                Err(SimFault::DataRace(mut race)) => {
                    let place = std::ptr::with_exposed_provenance::<u8>(access.address);
                    // SAFETY: the caller's word.
                    let held = unsafe { std::slice::from_raw_parts(place, access.bytes as usize) };
                    held.clone_into(&mut race.held);
                    self.raise(SimFault::DataRace(race))
                }
                Err(fault) => self.raise(fault),
            }
        }
    }

    /// Tells that code of which nothing is told may write the memory that an address is in: the block's shared memory,
    /// or an allocation.
    #[cold]
    pub(super) fn tell_hidden(&self, address: usize) {
        let by = self.running();
        match self.shared.around(address, self.here.get().rank) {
            Some(range) => self.notify(|observer| observer.on_hidden(&by, &range)),
            None => global::assume_written_around(address),
        }
    }

    /// Whose memory an address is in, for what is not a variable of a thread.
    #[inline]
    pub(super) fn space_of(&self, address: usize) -> Space {
        let rank = self.shared.rank_of(address, self.here.get().rank);
        rank.map_or(Space::Global, |rank| Space::Shared { rank })
    }
}
