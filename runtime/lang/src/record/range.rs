//! Ranges that are values: in a variable, as an argument, or walked later.

use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, Type, UnaryOp};

impl Recorder {
    /// `start..end` or `start..=end` of a witnessed type.
    pub fn range(&mut self, ty: Type, start: Expr, end: Expr) -> Expr {
        let mut bounds = [self.value(start), self.value(end)];
        self.sequence(&mut bounds);
        let [start, end] = bounds;
        let Type::Struct(def) = &ty else {
            let at = self.location();
            self.fail(RecordError::Internal { what: "a range of another type", at });
            return Expr::never();
        };
        Expr { kind: ExprKind::Struct(def.clone(), vec![start, end, Expr::unit()]), ty }
    }

    /// A range under a name that cannot change: names of its bounds.
    pub(super) fn named_range(&mut self, name: &str, range: Expr) -> Expr {
        let Expr { kind: ExprKind::Struct(def, bounds), ty } = range else { return range };
        let mut kept = Vec::new();
        for (bound, field) in bounds.into_iter().zip(&def.fields) {
            let ty = bound.ty.clone();
            kept.push(match ty {
                Type::Unit => bound,
                _ if self.is_stable(&bound) => bound,
                _ => {
                    let local = self.let_(&format!("{name}_{}", field.name), false, ty, bound);
                    self.local(&local)
                }
            });
        }
        Expr { kind: ExprKind::Struct(def, kept), ty }
    }

    /// The start and the end of a range, and whether that is included; nothing of another value.
    pub(crate) fn bounds(&mut self, range: &Expr) -> Option<([Expr; 2], bool)> {
        let inclusive = inclusive_range(range.ty.peeled())?;
        let range = self.value(range.clone());
        let range = if range.has_effect() { self.bind(range) } else { range };
        Some((["start", "end"].map(|name| self.field(range.clone(), name)), inclusive))
    }

    /// An argument, of a range its bounds.
    pub(super) fn with_bounds(&mut self, arg: Expr) -> Vec<Expr> {
        match self.bounds(&arg) {
            Some((bounds, _)) => bounds.into(),
            None => vec![arg],
        }
    }

    /// Returns whether these are the bounds of a range, each the same wherever it stands.
    pub(super) fn is_range_of_names(&mut self, ty: &Type, bounds: &[Expr]) -> bool {
        inclusive_range(ty).is_some()
            && bounds.iter().all(|bound| bound.ty == Type::Unit || self.is_stable(bound))
    }

    /// `range.is_empty()`
    pub fn range_is_empty(&mut self, range: &Expr) -> Expr {
        let Some(([start, end], inclusive)) = self.bounds(range) else { return Expr::never() };
        let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let some = self.binary(op, start, end);
        self.unary(UnaryOp::Not, some)
    }

    /// `range.len()`
    pub fn range_len(&mut self, range: &Expr) -> Expr {
        let Some(([start, end], inclusive)) = self.bounds(range) else { return Expr::never() };
        let walked = self.iter_range(start, end, inclusive);
        self.counted(walked).0
    }
}

/// Names of the fields without bytes that tell ranges from structs of the user's, which have no such names.
pub(crate) const HALF_OPEN: &str = "core::ops::Range";
pub(crate) const INCLUSIVE: &str = "core::ops::RangeInclusive";

/// Returns whether a type is a range, and one that includes its end.
pub(crate) fn inclusive_range(ty: &Type) -> Option<bool> {
    let Type::Struct(def) = ty else { return None };
    match def.fields.last()?.name {
        HALF_OPEN => Some(false),
        INCLUSIVE => Some(true),
        _ => None,
    }
}
