//! Intervals of integers, from what they are made of: where no overflow is possible, arithmetic is
//! printed as it stands.

use std::collections::HashMap;

use super::bounds::upper;
use crate::ir::{BinaryOp, Expr, ExprKind, RangeLoop, Scalar, UnaryOp, VarId};

/// The least and the greatest value of an expression.
pub(super) type Interval = (i128, i128);

/// An interval that the expression never leaves, if it is computed without overflow.
pub(super) fn interval(e: &Expr, known: &HashMap<VarId, Interval>) -> Option<Interval> {
    if let Some(n) = e.as_int() {
        return Some((n, n));
    }
    let scalar = e.ty.scalar().filter(|s| s.is_int())?;
    let found = match &e.kind {
        ExprKind::Var(id) => known.get(id).copied(),
        ExprKind::Cast(inner) => interval(inner, known),
        ExprKind::Binary(op, a, b) => operation(*op, a, b, scalar, known),
        ExprKind::Unary(UnaryOp::Neg, a) => interval(a, known).map(|(low, high)| (-high, -low)),
        _ => None,
    };
    found.filter(|found| fits(*found, scalar)).or_else(|| bounded(e, scalar))
}

/// The interval of `a op b`, if it is computed without overflow.
pub(super) fn operation(
    op: BinaryOp,
    a: &Expr,
    b: &Expr,
    scalar: Scalar,
    known: &HashMap<VarId, Interval>,
) -> Option<Interval> {
    binary(op, interval(a, known)?, interval(b, known)?).filter(|found| fits(*found, scalar))
}

/// The values of the counter of a loop over a range.
pub(super) fn counter(range: &RangeLoop, known: &HashMap<VarId, Interval>) -> Option<Interval> {
    let ((low, _), (_, high)) = (interval(&range.start, known)?, interval(&range.end, known)?);
    let last = if range.inclusive { high } else { high - 1 };
    (low <= last).then_some((low, last))
}

/// What is known of an unsigned value without its operands, unless that is all of its type.
fn bounded(e: &Expr, scalar: Scalar) -> Option<Interval> {
    let (_, highest) = scalar.int_range()?;
    let narrow = |n: &i128| scalar.is_unsigned() && (*n < highest || scalar.bits() < 32);
    upper(e).filter(narrow).map(|n| (0, n))
}

fn binary(op: BinaryOp, (a, b): Interval, (c, d): Interval) -> Option<Interval> {
    match op {
        BinaryOp::Add => Some((a + c, b + d)),
        BinaryOp::Sub => Some((a - d, b - c)),
        BinaryOp::Mul => {
            let ends = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        BinaryOp::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinaryOp::Rem if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
        BinaryOp::BitAnd if a >= 0 && c >= 0 => Some((0, b.min(d))),
        _ => None,
    }
}

/// Whether a type holds all of an interval.
fn fits((low, high): Interval, scalar: Scalar) -> bool {
    scalar.int_range().is_some_and(|(least, most)| least <= low && high <= most)
}
