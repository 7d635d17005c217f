//! Where the running thread orders memory, and launches that leave one such place out.

use super::facts::{AccessKind, MemoryScope};
use super::machine::Machine;
use super::synchronisation::{Synchronisation, Without};

impl Machine<'_> {
    /// The running thread reaches a synchronisation. Returns whether it executes it.
    ///
    /// Operations that the thread executes until [`Machine::synchronised`] may order nothing.
    pub(super) fn synchronise(&self, which: &Synchronisation) -> bool {
        if self.interests.synchronisations {
            let by = self.running();
            self.notify(|observer| observer.on_synchronise(&by, which));
        }
        match &self.launch.without {
            Some(Without::Call(left_out)) if left_out == which => return false,
            Some(Without::Order(idle)) => self.unordered.set(idle == which),
            _ => {}
        }
        true
    }

    /// The running thread is past it.
    pub(super) fn synchronised(&self) {
        self.unordered.set(false);
    }

    /// For whom a meeting at which the running thread is orders memory.
    pub(super) fn orders(&self, scope: MemoryScope) -> Option<MemoryScope> {
        (!self.unordered.get()).then_some(scope)
    }

    /// How the running thread accesses memory.
    pub(super) fn kind(&self, kind: AccessKind) -> AccessKind {
        match kind {
            AccessKind::Atomic { reads, writes, scope, .. } if self.unordered.get() => {
                AccessKind::Atomic { reads, writes, order: std::sync::atomic::Ordering::Relaxed, scope }
            }
            kind => kind,
        }
    }
}
