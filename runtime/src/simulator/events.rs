//! Tells observers what threads do.

use super::SimFault;
use super::machine::{Here, Machine};
use super::observer::{Access, AccessKind, Instruction, Interests, Line, Observer, Space, Thread};

/// What any of these observers wants to be told.
pub(crate) fn interests(observers: &[&dyn Observer]) -> Interests {
    observers.iter().map(|observer| observer.interests()).fold(Interests::default(), |all, one| Interests {
        accesses: all.accesses | one.accesses,
        locals: all.locals | one.locals,
        branches: all.branches | one.branches,
        work: all.work | one.work,
    })
}

impl Machine<'_> {
    /// The running thread, as observers know it.
    pub(super) fn running(&self) -> Thread {
        let Here { thread_idx, linear, block_idx, rank, .. } = self.here.get();
        let [x, y, z] = block_idx.map(u64::from);
        let [width, height, _] = self.launch.grid.map(u64::from);
        Thread { block_idx, block: (z * height + y) * width + x, rank, thread_idx, linear }
    }

    /// The instruction that the running thread executes: the interpreter's, or a call at a line.
    pub(super) fn instruction(&self, caller: Line) -> Instruction {
        self.instruction.get().unwrap_or(Instruction { at: caller, site: 0, instance: 0 })
    }

    /// The line that the running thread is at.
    pub(super) fn line(&self, caller: Line) -> Line {
        self.instruction.get().map_or(caller, |instruction| instruction.at)
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

    /// Tells of an access of memory that a builtin is about to make.
    pub(super) fn tell_access(&self, address: usize, (bytes, align): (u32, u32), kind: AccessKind, at: Line) {
        let access =
            Access { address, bytes, align, space: self.space_of(address), kind, by: self.instruction(at) };
        let by = self.running();
        self.tell(|observer| observer.on_access(&by, &access));
    }

    /// Whose memory an address is in, for what is not a variable of a thread.
    pub(super) fn space_of(&self, address: usize) -> Space {
        let rank = self.shared.rank_of(address, self.here.get().rank);
        rank.map_or(Space::Global, |rank| Space::Shared { rank })
    }
}
