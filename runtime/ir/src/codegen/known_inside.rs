//! Indices that are known to be in bounds where they are printed, by a comparison before a loop or by an earlier check.

use crate::ir::{Expr, ExprKind, VarId};
use crate::ranges::same;

/// An index into a slice that a loop's counter runs along.
#[derive(Clone)]
pub(super) struct Along {
    pub slice: VarId,
    pub index: Expr,
    /// The offset that is added to the counter.
    pub offset: Option<Expr>,
    /// Whether the index is an unsigned integer of 64 bits, and the counter has fewer.
    pub is_widened: bool,
}

/// Whether an index is one of these.
pub(super) fn is_one_of(along: &[Along], base: &Expr, index: &Expr) -> bool {
    let ExprKind::Var(slice) = base.kind else { return false };
    along.iter().any(|own| own.slice == slice && same(&own.index, index))
}

/// An index that was checked, or the index of a place in an array of arrays.
#[derive(Clone)]
pub(super) struct Early {
    /// The index in the IR. A copy elsewhere is another one.
    pub node: *const Expr,
    /// The indexed place and the index, if neither changes while the scope is open.
    pub lasting: Option<(Expr, Expr)>,
    /// The index as it is printed.
    pub text: String,
}
