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

    /// Whether integers overflowed, which a twin tells of only if it was built to.
    #[doc(hidden)]
    pub fn is_overflow(&self) -> bool {
        matches!(self.found(), Self::Panic { message, .. }
            if message.starts_with("attempt to ") && message.ends_with("overflow"))
    }
}
