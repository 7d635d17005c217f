//! The addends of sums.

use crate::ir::{BinaryOp, Expr, ExprKind};

/// The addends of a sum, of one type.
pub(super) fn addends(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => [addends(a), addends(b)].concat(),
        _ => vec![e],
    }
}
