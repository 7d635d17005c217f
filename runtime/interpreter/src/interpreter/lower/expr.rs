//! Expressions; each arm of the dispatchers only forwards.

use super::operator::Operand;
use super::{Lower, Result, room};
use crate::interpreter::program::Slot;
use crate::ir::{BinaryOp, Expr, ExprKind, Type};

impl<'m> Lower<'m> {
    /// The value of an expression, where it already is or in a temporary.
    pub(super) fn value(&mut self, e: &'m Expr) -> Result<Slot> {
        match &e.kind {
            ExprKind::Const(c) => self.literal(c.value, &e.ty),
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Global(_)
            | ExprKind::Table { .. } => {
                let place = self.place(e)?;
                Ok(self.load(&place, &e.ty))
            }
            ExprKind::Len(of) => self.len(of),
            _ => {
                let to = self.slot(&e.ty);
                self.value_to(e, to)?;
                Ok(to)
            }
        }
    }

    /// Computes an expression into a place that its operands do not read.
    pub(super) fn value_to(&mut self, e: &'m Expr, to: Slot) -> Result<()> {
        match &e.kind {
            ExprKind::Unit => Ok(()),
            ExprKind::Unary(op, a) => self.unary(*op, a, to),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => self.lazy(e, to),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, to),
            ExprKind::Exact(a) => self.value_to(a, to),
            ExprKind::Cast(a) => self.cast(a, &e.ty, to),
            ExprKind::Ref(place) => self.reference(place, to),
            ExprKind::Call { function, args, .. } => self.call(*function, args, &e.ty, to),
            ExprKind::CallClosure { closure, args } => self.call_closure(*closure, args, to),
            ExprKind::Builtin { op, meaning, args, at } => self.builtin(e, op, *meaning, args, *at, to),
            ExprKind::Struct(_, items) | ExprKind::Tuple(items) => self.fields(&e.ty, items, to),
            ExprKind::Vector(items) | ExprKind::ArrayList(items) => self.elements(items, to),
            ExprKind::ArrayRepeat(item, n) => self.repeat(item, n.len, to),
            ExprKind::Variant(def, index, items) => self.variant(def, *index, items, to),
            ExprKind::SubSlice { .. } => self.part(e, to),
            ExprKind::Select(c, a, b) => self.select(c, a, b, to),
            ExprKind::Closure(_) => self.unsupported("a closure as a value"),
            ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Global(_)
            | ExprKind::Table { .. }
            | ExprKind::Len(_) => {
                let from = self.value(e)?;
                self.copy(to, from, room(&e.ty).0);
                Ok(())
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &'m Expr, b: &'m Expr, to: Slot) -> Result<()> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        self.operate(op, Operand { slot: left, ty: &a.ty }, Operand { slot: right, ty: &b.ty }, to)
    }

    fn cast(&mut self, a: &'m Expr, ty: &Type, to: Slot) -> Result<()> {
        if let (ExprKind::SubSlice { .. }, Type::Ptr { .. } | Type::Ref { .. }) = (&a.kind, ty) {
            let extent = self.part_extent(a)?;
            self.copy(to, extent, 8);
            return Ok(());
        }
        let from = self.value(a)?;
        self.convert(Operand { slot: from, ty: &a.ty }, ty, to)
    }
}
