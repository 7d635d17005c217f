//! Indices that move with a loop's counter by a fixed distance, as along a column of a matrix.
//!
//! In exact arithmetic such an index lies between its first and its last value. Where both are in bounds, the index is the same
//! in the arithmetic of its own type, which wraps: it differs by a multiple of what the type holds, and both fit. So two
//! comparisons before the loop tell of all its iterations. They are done in 64 bits, which the sizes of the operands show to
//! be enough.

use std::collections::HashSet;

use super::Printer;
use super::precedence::UNARY;
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, VarId, visit};
use crate::ranges::integer;

/// The size of a counter: one without a sign is asked to count no further.
const COUNTED: i128 = 1 << 31;

impl Printer<'_> {
    /// Whether an index is a sum of products of fixed numbers, at most one of which in each has the counter.
    pub(super) fn is_affine(&self, (counter, changed): (VarId, &HashSet<VarId>), index: &Expr) -> bool {
        let is_number = integer(index).is_some_and(|scalar| scalar.bits() >= 32);
        let counts = self
            .function
            .var(counter)
            .ty
            .scalar()
            .is_some_and(|scalar| scalar.is_int() && (scalar.bits() <= 32 || scalar == Scalar::U64));
        let size = |e| self.size((counter, changed), e).is_some_and(|size| size <= i64::MAX.into());
        is_number && counts && has(counter, index) && size(whole(index))
    }

    /// A bound of an exact value, and of all on the way to it; nothing if it is not affine.
    fn size(&self, of: (VarId, &HashSet<VarId>), e: &Expr) -> Option<i128> {
        let (counter, changed) = of;
        let scalar = integer(e).filter(|scalar| scalar.bits() >= 32)?;
        if !has(counter, e) {
            return self.fixed_size(e, scalar, changed);
        }
        match &e.kind {
            ExprKind::Exact(inner) => self.size(of, inner),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                self.size(of, a)?.checked_add(self.size(of, b)?)
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if !(has(counter, a) && has(counter, b)) => {
                self.size(of, a)?.checked_mul(self.size(of, b)?)
            }
            ExprKind::Var(_) => Some(COUNTED),
            ExprKind::Cast(inner) => matches!(inner.kind, ExprKind::Var(_)).then_some(COUNTED),
            _ => None,
        }
    }

    /// The same of a number that the loop leaves as it is. Where arithmetic wraps at 32 bits, it is read as an `int`.
    fn fixed_size(&self, e: &Expr, scalar: Scalar, changed: &HashSet<VarId>) -> Option<i128> {
        if !self.is_kept(e, changed) || !self.is_all_pure(e) {
            return None;
        }
        let (least, most) = self.function.interval(e)?;
        let known = most.max(-least);
        match &e.kind {
            _ if scalar.bits() == 32 => Some(if most > i32::MAX.into() { COUNTED } else { known }),
            ExprKind::Cast(inner) if integer(inner).is_some_and(|from| from.bits() <= 32) => {
                let (least, most) = self.function.interval(inner)?;
                Some(most.max(-least))
            }
            _ => Some(known).filter(|known| *known <= 1 << 32),
        }
    }

    /// An index in exact arithmetic of 64 bits, where the counter has a value.
    pub(super) fn exact_at(&mut self, counter: VarId, index: &Expr, value: &str) -> String {
        self.exact_part(counter, whole(index), value)
    }

    fn exact_part(&mut self, counter: VarId, e: &Expr, value: &str) -> String {
        if !has(counter, e) {
            let is_unsigned = integer(e) == Some(Scalar::U32);
            let cast = if is_unsigned { "(long long)(int)" } else { "(long long)" };
            return match e.as_int() {
                Some(n) if is_unsigned => format!("{}ll", n as u32 as i32),
                Some(n) => format!("{n}ll"),
                None => format!("{cast}{}", self.expr(e).at(UNARY)),
            };
        }
        match &e.kind {
            ExprKind::Exact(inner) => self.exact_part(counter, inner, value),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.exact_part(counter, a, value), self.exact_part(counter, b, value));
                match (op, a.as_str(), b.as_str()) {
                    (BinaryOp::Mul, "0ll", _) | (BinaryOp::Mul, _, "0ll") => "0ll".to_owned(),
                    (BinaryOp::Add, "0ll", _) => b,
                    (BinaryOp::Add | BinaryOp::Sub, _, "0ll") => a,
                    _ => format!("({a} {} {b})", op.symbol()),
                }
            }
            _ => value.to_owned(),
        }
    }
}

/// Whether an index is as far from another as their counters are: then one beyond the last that a loop with a step takes is not far.
pub(super) fn is_beside(counter: VarId, index: &Expr) -> bool {
    match &whole(index).kind {
        ExprKind::Var(var) => *var == counter,
        ExprKind::Exact(inner) | ExprKind::Cast(inner) => is_beside(counter, inner),
        ExprKind::Binary(BinaryOp::Add, a, b) if has(counter, a) != has(counter, b) => {
            is_beside(counter, if has(counter, a) { a } else { b })
        }
        _ => false,
    }
}

/// An index without a cast of all of it, which leaves what is in bounds as it is.
fn whole(index: &Expr) -> &Expr {
    match &index.kind {
        ExprKind::Cast(inner) if integer(inner).is_some_and(|scalar| scalar.bits() >= 32) => inner,
        _ => index,
    }
}

/// Whether the arithmetic of an index wraps at 32 bits: then no more than an `int` holds may be in bounds.
pub(super) fn is_of_int(index: &Expr) -> bool {
    [index, whole(index)].into_iter().any(|e| integer(e).is_some_and(|scalar| scalar.bits() == 32))
}

/// Whether an expression mentions a variable.
fn has(var: VarId, e: &Expr) -> bool {
    let mut found = false;
    visit::expr(e, &mut |e| found |= matches!(e.kind, ExprKind::Var(own) if own == var));
    found
}
