//! Faults with the seed of the schedule that found them.

use super::SimFault;

impl SimFault {
    /// The fault without the seed under which it was found.
    pub fn found(&self) -> &SimFault {
        match self {
            Self::Seeded { fault, .. } => fault.found(),
            fault => fault,
        }
    }

    /// The fault of a launch with this seed, if that had a part in it: 0 is no seed.
    pub(super) fn under(self, seed: u64) -> Self {
        if seed == 0 || !self.is_of_threads() {
            return self;
        }
        Self::Seeded { seed, fault: Box::new(self) }
    }

    /// Whether threads ran into it, rather than that the launch was refused.
    fn is_of_threads(&self) -> bool {
        let refused = matches!(
            self,
            Self::SharedMemory { .. }
                | Self::Extents { .. }
                | Self::Stack { .. }
                | Self::Nested { .. }
                | Self::NotInterpreted { .. }
                | Self::Setting { .. }
                | Self::Seeded { .. }
        );
        !refused
    }

    /// Whether one of [`SimChecks`](super::SimChecks) found it, which only the interpreter makes.
    pub(crate) fn is_of_checks(&self) -> bool {
        matches!(
            self.found(),
            Self::DataRace(_)
                | Self::SharedMemoryGone { .. }
                | Self::Uninitialised { .. }
                | Self::Misaligned { .. }
        )
    }
}
