//! The positions of threads, and their number: ranges in terms of a launch's grid and block.

use super::range::Range;
use super::scope::FunctionScope;
use crate::ir::{Expr, ExprKind, Position, Quantity};
use crate::limits;

impl FunctionScope<'_> {
    /// `thread_idx().x` and the like.
    pub(crate) fn axis(&self, base: &Expr, axis: &str) -> Option<Range> {
        let base = match &base.kind {
            ExprKind::Var(var) => self.definitions.get(var)?,
            _ => base,
        };
        let ExprKind::Builtin { op, .. } = &base.kind else { return None };
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis)?;
        Some(match op.position()? {
            Position::ThreadIndex => Range::below(self.threads(Quantity::BlockDim(axis))),
            Position::BlockIndex | Position::ClusterIndex => Range::below(Quantity::GridDim(axis)),
            Position::BlockExtent => self.number(Quantity::BlockDim(axis)),
            Position::GridExtent => Range::exactly(Quantity::GridDim(axis)),
            Position::ClusterExtent => from_one(Quantity::Const(limits::CLUSTER.into())),
            Position::ClusterBlockIndex => Range::below(Quantity::Const(limits::CLUSTER.into())),
            _ => return None,
        })
    }

    /// A number of threads of a block along an axis or in all, which is at most what `launch_bounds` says.
    fn threads(&self, count: Quantity) -> Quantity {
        match self.most_threads {
            Some(most) => count.least(Quantity::Const(most.into())),
            None => count,
        }
    }

    /// The number of threads in a block, which only a launch knows exactly.
    fn number(&self, count: Quantity) -> Range {
        Range { high: self.threads(count.clone()), ..Range::exactly(count) }
    }

    /// The range of a position, or of a number of threads.
    pub(crate) fn position(&self, position: Position) -> Option<Range> {
        let size = |axis| Quantity::BlockDim(axis);
        let line = || Quantity::GridDim(0).product(Quantity::BlockDim(0));
        let block = || self.threads(size(0).product(size(1)).product(size(2)));
        let blocks = || Quantity::GridDim(0).product(Quantity::GridDim(1)).product(Quantity::GridDim(2));
        let cluster = || Quantity::Const(limits::CLUSTER.into());
        Some(match position {
            Position::GlobalId => Range::below(line()),
            Position::GlobalSize => Range::exactly(line()),
            Position::ThreadRank => Range::below(block()),
            Position::BlockSize => self.number(size(0).product(size(1)).product(size(2))),
            Position::GridBlockRank => Range::below(blocks()),
            Position::GridBlocks => Range::exactly(blocks()),
            Position::GridThreadRank => Range::below(blocks().product(block())),
            Position::GridThreads => from_one(blocks().product(block())),
            Position::WarpId => {
                Range::new(Quantity::Const(0), block().plus(-1).quotient(limits::WARP.into()))
            }
            Position::LaneId => Range::below(Quantity::Const(limits::WARP.into())),
            Position::WarpSize => Range::numbers(limits::WARP.into(), limits::WARP.into()),
            Position::ClusterBlockRank => Range::below(cluster()),
            Position::ClusterSize => from_one(cluster()),
            Position::ClusterThreadRank => Range::below(cluster().product(block())),
            Position::ClusterThreads => from_one(cluster().product(block())),
            Position::LaneMask
            | Position::ThreadIndex
            | Position::BlockIndex
            | Position::BlockExtent
            | Position::GridExtent
            | Position::ClusterExtent
            | Position::ClusterBlockIndex
            | Position::ClusterIndex => return None,
        })
    }
}

/// The range from one up to a number.
fn from_one(high: Quantity) -> Range {
    Range::new(Quantity::Const(1), high)
}
