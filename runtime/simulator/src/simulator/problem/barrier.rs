//! Mistakes in the use of a named barrier, or of one half of a cluster's barrier.

use std::fmt;

/// A mistake in the use of a named barrier, or of one half of a cluster's barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BarrierProblem {
    /// The hardware has no barrier of this number.
    Number {
        /// The number asked for.
        number: u32,
    },
    /// A number that is not a multiple of a warp.
    Count {
        /// The threads asked for.
        threads: u32,
    },
    /// More threads than the block has.
    Beyond {
        /// The threads asked for.
        threads: u32,
        /// Threads of the block.
        block: u32,
    },
    /// Threads that have arrived there passed another number of threads.
    Differs {
        /// The threads asked for.
        threads: u32,
        /// The number that the others passed.
        others: u32,
    },
    /// The thread has arrived already, and has not waited.
    ArrivedTwice,
    /// The thread has not arrived.
    NotArrived,
}

impl fmt::Display for BarrierProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { number } => {
                write!(f, "names barrier {number}; use 1 to 15, since 0 is that of `sync_threads`")
            }
            Self::Count { threads } => {
                write!(
                    f,
                    "is for {threads} threads; a named barrier is for whole warps: a multiple of 32, and not 0"
                )
            }
            Self::Beyond { threads, block } => {
                write!(f, "is for {threads} threads, but the block has {block}; nobody would go on")
            }
            Self::Differs { threads, others } => write!(
                f,
                "is for {threads} threads, but others have arrived there for {others}; all must pass the same number"
            ),
            Self::ArrivedTwice => {
                write!(f, "arrives again before it has waited; call `cluster_wait` between the two")
            }
            Self::NotArrived => {
                write!(f, "waits without having arrived; call `cluster_arrive` before it")
            }
        }
    }
}
