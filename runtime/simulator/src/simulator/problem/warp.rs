//! Mistakes in operations of a warp, and in the rank of a block.

use std::fmt;

use crate::simulator::waiting::Waiting;

/// A mistake in the mask of a warp operation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskProblem {
    /// It does not name the calling lane.
    CallerMissing {
        /// The caller's lane.
        lane: u32,
    },
    /// It names a lane that has returned from the kernel.
    LaneLeft {
        /// The lane.
        lane: u32,
    },
    /// It names a lane that waits at another warp operation.
    LaneElsewhere {
        /// The lane.
        lane: u32,
        /// Where that lane waits.
        at: Box<Waiting>,
        /// The mask of that operation.
        mask: u32,
    },
}

/// The reason why a lane has no value for another lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// It has returned from the kernel.
    Returned,
    /// The mask does not name it.
    Unnamed {
        /// The mask of the operation.
        mask: u32,
    },
    /// The block ends before it.
    Beyond {
        /// Threads of the block.
        threads: u32,
    },
}

/// A mistake in the arguments of `map_shared_rank`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankProblem {
    /// The cluster has no such block.
    Beyond {
        /// Blocks in the cluster.
        size: u32,
    },
    /// The pointer is not to shared memory of the cluster.
    NotShared,
}

impl fmt::Display for MaskProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CallerMissing { lane } => {
                write!(f, "does not name the calling lane {lane}; add it to the mask")
            }
            Self::LaneLeft { lane } => {
                write!(f, "names lane {lane}, which has returned; keep the lane, or take it out of the mask")
            }
            Self::LaneElsewhere { lane, at, mask } => {
                write!(
                    f,
                    "names lane {lane}, but {at} with mask {mask:#010x}; lanes of a mask must make the same call"
                )
            }
        }
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned => {
                write!(f, "which has returned; let it stay until the others have its value")
            }
            Self::Unnamed { mask } => write!(
                f,
                "which the mask {mask:#010x} does not name; name it, or pass a `width` that ends before it"
            ),
            Self::Beyond { threads } => write!(
                f,
                "which a block of {threads} threads does not have; launch whole warps, or pass a `width` that ends before it"
            ),
        }
    }
}

impl fmt::Display for RankProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { size } => {
                write!(f, "names a block beyond the cluster's {size}; ranks are below `cluster_size()`")
            }
            Self::NotShared => write!(f, "got an address outside shared memory; pass a shared array"),
        }
    }
}
