//! Mistakes in the use of barriers, warp operations, copies and products, in words.

mod barrier;
mod bulk;
mod mbarrier;
mod registers;
mod warp;
mod wgmma;

use std::fmt;

pub use barrier::BarrierProblem;
pub use bulk::BulkProblem;
pub use mbarrier::MbarrierProblem;
pub use registers::RegisterProblem;
pub use warp::{Absence, MaskProblem, RankProblem};
pub use wgmma::WgmmaProblem;

/// A use of a barrier, a copy or a product that hardware does not define.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// Of a named barrier, or of half of a cluster's barrier.
    Barrier(BarrierProblem),
    /// Of a barrier that counts arrivals and bytes.
    Mbarrier(MbarrierProblem),
    /// Of the copy engine.
    Bulk(BulkProblem),
    /// Of a product of a warpgroup.
    Wgmma(WgmmaProblem),
    /// Of the registers of a thread.
    Registers(RegisterProblem),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Barrier(problem) => problem.fmt(f),
            Self::Mbarrier(problem) => problem.fmt(f),
            Self::Bulk(problem) => problem.fmt(f),
            Self::Wgmma(problem) => problem.fmt(f),
            Self::Registers(problem) => problem.fmt(f),
        }
    }
}

macro_rules! misuses {
    ($($variant:ident: $problem:ty;)+) => {$(
        impl From<$problem> for Misuse {
            fn from(problem: $problem) -> Self {
                Self::$variant(problem)
            }
        }
    )+};
}

misuses! {
    Barrier: BarrierProblem;
    Mbarrier: MbarrierProblem;
    Bulk: BulkProblem;
    Wgmma: WgmmaProblem;
    Registers: RegisterProblem;
}
