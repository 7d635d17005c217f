//! Where a thread stands, and how many there are: ranges by what a launch says of grid and block.

use super::range::{Range, Scope};
use crate::ir::{Expr, ExprKind, Quantity};

impl Scope<'_> {
    /// `thread_idx().x` and the like.
    pub(super) fn axis(&self, base: &Expr, axis: &str) -> Option<Range> {
        let base = match &base.kind {
            ExprKind::Var(var) => self.definitions.get(var)?,
            _ => base,
        };
        let ExprKind::Builtin { op, .. } = &base.kind else { return None };
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis)?;
        match op.name {
            "thread_idx" => Some(Range::below(self.threads(Quantity::BlockDim(axis)))),
            "block_idx" => Some(Range::below(Quantity::GridDim(axis))),
            "block_dim" => {
                Some(Range { low: 1, high: self.threads(Quantity::BlockDim(axis)), needs: Vec::new() })
            }
            "grid_dim" => Some(Range { low: 1, high: Quantity::GridDim(axis), needs: Vec::new() }),
            _ => None,
        }
    }

    /// A number of threads of a block along an axis or in all, which is at most what `launch_bounds` says.
    fn threads(&self, count: Quantity) -> Quantity {
        match self.most_threads {
            Some(most) => count.least(Quantity::Const(most.into())),
            None => count,
        }
    }

    /// Where a thread stands, and how many there are.
    pub(super) fn position(&self, name: &str) -> Option<Range> {
        let size = |axis| Quantity::BlockDim(axis);
        let grid = || Quantity::GridDim(0).product(Quantity::BlockDim(0));
        let block = || self.threads(size(0).product(size(1)).product(size(2)));
        Some(match name {
            "global_id" => Range::below(grid()),
            "global_size" => Range::below(grid().plus(1)),
            "thread_rank" => Range::below(block()),
            "block_size" => Range { low: 1, high: block(), needs: Vec::new() },
            "warp_id" => Range { low: 0, high: block().plus(-1).quotient(32), needs: Vec::new() },
            "lane_id" => Range::below(Quantity::Const(32)),
            _ => return None,
        })
    }
}
