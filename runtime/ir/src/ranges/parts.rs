//! Indices of parts of slices whose length only the kernel knows: `x[start..start + n][i]`.

use super::known::Known;
use super::range::{integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Scalar};

impl FunctionScope<'_> {
    /// The conditions under which a number is less than the length of a part of a slice, or with `or_same` no more than it, by what guards
    /// and loops tell of that length. The part's ends were in order, or the thread has left.
    pub(super) fn inside_part(
        &self,
        start: Option<&Expr>,
        end: &Expr,
        at: &Expr,
        or_same: bool,
        known: &Known,
    ) -> Option<Vec<Condition>> {
        let len = match start {
            None => end.clone(),
            Some(start) => match self.distance(start, end) {
                Some(distance) => distance.clone(),
                None => Expr::binary(BinaryOp::Sub, end.clone(), start.clone()),
            },
        };
        // The length is what it was when the part was made.
        if !self.is_stable(&len) || start.is_some_and(|start| start.ty != end.ty) {
            return None;
        }
        let own = self.range(at, known);
        let positive = self.ensure_positive(at, &own)?;
        if or_same && (known.is_ordered(at, &len) || self.is_quotient(at, &len)) {
            return Some(positive);
        }
        let needs = self.is_below(at, &len, known).or_else(|| {
            let least = self.range(&len, known);
            let is_less = own.high.is_below(&least.low.plus(or_same.into()));
            is_less.then(|| joined(&own.needs, &least.low_needs))
        });
        Some(joined(&needs?, &positive))
    }

    /// Whether an expression is the quotient of another one, which has no sign.
    fn is_quotient(&self, e: &Expr, of: &Expr) -> bool {
        match &self.look(e).kind {
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Shr, whole, _) => {
                self.alike(whole, of) && integer(of).is_some_and(Scalar::is_unsigned)
            }
            _ => false,
        }
    }
}
