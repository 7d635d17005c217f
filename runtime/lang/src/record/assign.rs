//! Assignments: a value, a place, and the order of the two.

use super::block::kept;
use super::ops::has_operator;
use super::{Callee, RecordError, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, StmtKind, Type};

impl Recorder {
    /// `place = value`
    pub fn assign(&mut self, place: Expr, value: Expr) -> Expr {
        let value = self.coerce(value, &place.ty.clone());
        self.assign_with(place, None, value)
    }

    /// A part of the value of `(a, b) = value`, an element or a field, read before the first place is written.
    pub fn assigned_part(&mut self, value: &Expr, name: &str, element: bool) -> Expr {
        let part = if element {
            self.element_part(value.clone(), name)
        } else {
            self.part(value.clone(), None, name)
        };
        self.bind(part)
    }

    /// [`Recorder::assigned_part`] behind `..`, counted from the last as 1.
    pub fn assigned_part_from_end(&mut self, value: &Expr, back: usize, element: bool) -> Expr {
        let part = if element {
            self.element_part_from_end(value.clone(), back)
        } else {
            self.part_from_end(value.clone(), None, back)
        };
        self.bind(part)
    }

    /// A value where `ty` is expected: names that stand for places become references and back.
    pub(super) fn coerce(&mut self, value: Expr, ty: &Type) -> Expr {
        match (ty, &value.ty) {
            (Type::Ref { mutable: false, .. }, Type::Ref { mutable: true, .. }) => self.lent(value),
            (Type::Ref { .. } | Type::Never | Type::Unit, Type::Ref { .. } | Type::Never | Type::Unit) => {
                value
            }
            (Type::Tuple(wanted), Type::Tuple(_)) => self.coerce_parts(value, wanted),
            (Type::Ref { mutable, .. }, other) if other != ty => self.ref_(*mutable, value),
            (other, Type::Ref { .. }) if !matches!(other, Type::Ref { .. }) => self.value(value),
            _ => value,
        }
    }

    /// A tuple as it is written, whose parts are expected to have other types.
    fn coerce_parts(&mut self, value: Expr, wanted: &[Type]) -> Expr {
        let ExprKind::Tuple(parts) = value.kind else { return value };
        let parts: Vec<Expr> =
            parts.into_iter().zip(wanted).map(|(part, ty)| self.coerce(part, ty)).collect();
        let ty = Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        Expr { kind: ExprKind::Tuple(parts), ty }
    }

    /// A `&mut T` as the `&T` that Rust makes of it. As a part of a value a slice has another type in CUDA.
    pub(super) fn lent(&mut self, mut reference: Expr) -> Expr {
        let Type::Ref { to, .. } = &reference.ty else { return reference };
        let ty = Type::Ref { to: to.clone(), mutable: false };
        let is_part = matches!(reference.kind, ExprKind::Field(..) | ExprKind::Index { .. });
        if is_part && matches!(**to, Type::Slice(_) | Type::Shared { rank: 1, .. }) {
            reference = self.sub_slice(false, reference, None, None, false);
        }
        reference.ty = ty;
        reference
    }

    /// A value that a variable, a tuple or a closure takes over.
    pub(super) fn moved(&mut self, value: Expr) -> Expr {
        let ty = kept(value.ty.clone());
        self.coerce(value, &ty)
    }

    /// `place op= value`
    pub fn assign_op(&mut self, op: BinaryOp, place: Expr, value: Expr) -> Expr {
        let value = self.value(value);
        if !has_operator(op, &place.ty) && place.ty != Type::Never {
            self.unsupported_operator(op.symbol(), &place);
        }
        self.assign_with(place, Some(op), value)
    }

    fn assign_with(&mut self, place: Expr, op: Option<BinaryOp>, value: Expr) -> Expr {
        self.frame().fresh = None;
        if matches!(value.ty, Type::Never | Type::Unit) {
            self.statement(value);
            return Expr::unit();
        }
        if matches!(place.ty, Type::Shared { .. }) || matches!(place.kind, ExprKind::Ref(_)) {
            let at = self.location();
            self.fail(RecordError::SharedPlace { at });
            return Expr::unit();
        }
        self.note_write(&place);
        // The value is evaluated first, and the place may be printed twice.
        let (place, value) = if place.has_effect() {
            let value = self.bind(value);
            (self.pin(place), value)
        } else {
            (place, value)
        };
        self.push(StmtKind::Assign { place, op, value });
        Expr::unit()
    }

    /// `place op= value` where the type of the place may overload the operator.
    pub fn assign_operator(
        &mut self,
        callee: Option<Callee>,
        op: BinaryOp,
        place: Expr,
        value: Expr,
    ) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => {
                let place = self.ref_(true, place);
                self.call(Some(callee), vec![place, value], Type::Unit)
            }
            _ => self.assign_op(op, place, value),
        }
    }

    /// `place op= value` whose operands may change each other. Rust evaluates the value first where the operator is
    /// the language's own, and the place first where a trait implements it; `order` tells the two apart.
    pub fn compound(
        &mut self,
        [order, callee]: [Option<Callee>; 2],
        op: BinaryOp,
        place: impl FnOnce(&mut Recorder) -> Expr,
        value: impl FnOnce(&mut Recorder) -> Expr,
    ) -> Expr {
        if !matches!(order, Some(Callee::Overloaded)) {
            let value = value(self);
            let mut mark = self.mark();
            let place = place(self);
            let value = self.keep(value, &mut mark, &place);
            return self.assign_operator(callee, op, place, value);
        }
        let place = place(self);
        let place = if place.has_effect() { self.pin(place) } else { place };
        let mut mark = self.mark();
        let value = value(self);
        let place = self.keep_place(place, &mut mark, &value);
        self.assign_operator(callee, op, place, value)
    }
}
