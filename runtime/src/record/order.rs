//! Evaluation order: operands that another operand's effect could change get temporaries.

use super::{Mark, Recorder};
use crate::ir::{Effect, Expr, ExprKind, Stmt, StmtKind, Type, VarKind};

impl Recorder {
    /// The position after what has been recorded so far.
    pub fn mark(&mut self) -> Mark {
        let frame = self.frame();
        let depth = frame.blocks.len();
        Mark { depth, stmts: frame.block().stmts.len() }
    }

    /// An operand that was evaluated at `mark`, when its right neighbour has been recorded since.
    ///
    /// If that neighbour added statements or has an effect, the operand is bound at the mark.
    pub fn keep(&mut self, operand: Expr, mark: &mut Mark, neighbour: &Expr) -> Expr {
        let added = {
            let frame = self.frame();
            frame.blocks.len() == mark.depth && frame.block().stmts.len() > mark.stmts
        };
        if !(added || neighbour.has_effect()) || self.is_stable(&operand) {
            return operand;
        }
        self.bind_at(operand, mark)
    }

    /// A place that was evaluated at `mark`: its address is what it was, its value is not read yet.
    pub fn keep_place(&mut self, operand: Expr, mark: &mut Mark, neighbour: &Expr) -> Expr {
        let added = {
            let frame = self.frame();
            frame.blocks.len() == mark.depth && frame.block().stmts.len() > mark.stmts
        };
        if !(added || neighbour.has_effect()) {
            return operand;
        }
        self.fix_place(operand, mark)
    }

    /// [`Recorder::keep_place`] for a receiver that is taken by reference, [`Recorder::keep`] else.
    pub fn keep_receiver(
        &mut self,
        by_reference: bool,
        operand: Expr,
        mark: &mut Mark,
        neighbour: &Expr,
    ) -> Expr {
        if by_reference {
            self.keep_place(operand, mark, neighbour)
        } else {
            self.keep(operand, mark, neighbour)
        }
    }

    fn fix_place(&mut self, place: Expr, mark: &mut Mark) -> Expr {
        let ty = place.ty.clone();
        match place.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Table { .. } => place,
            ExprKind::Field(base, name) => {
                Expr { kind: ExprKind::Field(self.fix_place(*base, mark).into(), name), ty }
            }
            ExprKind::Index { base, index, at, proof } => {
                let base = self.fix_place(*base, mark);
                let index = if self.is_stable(&index) { *index } else { self.bind_at(*index, mark) };
                let kind = ExprKind::Index { base: base.into(), index: index.into(), at, proof };
                Expr { kind, ty }
            }
            ExprKind::Deref(pointer) => {
                let pointer = if self.is_stable(&pointer) { *pointer } else { self.bind_at(*pointer, mark) };
                Expr { kind: ExprKind::Deref(pointer.into()), ty }
            }
            ExprKind::Ref(inner) => Expr { kind: ExprKind::Ref(self.fix_place(*inner, mark).into()), ty },
            kind => {
                let value = Expr { kind, ty };
                if self.is_stable(&value) { value } else { self.bind_at(value, mark) }
            }
        }
    }

    /// Binds a value at a mark.
    fn bind_at(&mut self, operand: Expr, mark: &mut Mark) -> Expr {
        let frame = self.frame();
        let (at, ty) = (frame.line, operand.ty.clone());
        let var = frame.new_var("", ty.clone(), false, VarKind::Local);
        let stmt = Stmt { kind: StmtKind::Let { var, init: Some(operand) }, at };
        let index = mark.stmts;
        let block = frame.block();
        if !block.dead && index <= block.stmts.len() {
            block.stmts.insert(index, stmt);
            mark.stmts += 1;
        }
        Expr { kind: ExprKind::Var(var), ty }
    }

    /// Binds every operand with an effect that stands before another operand that is not constant.
    pub(super) fn sequence(&mut self, operands: &mut [Expr]) {
        let Some(last) = operands.iter().rposition(|e| !self.is_stable(e)) else { return };
        for operand in &mut operands[..last] {
            if operand.has_effect() {
                let value = std::mem::replace(operand, Expr::unit());
                *operand = self.bind(value);
            }
        }
    }

    /// The value in a temporary, unless it is stable already.
    pub fn bind(&mut self, value: Expr) -> Expr {
        if self.is_stable(&value) || matches!(value.ty, Type::Unit | Type::Never) {
            return value;
        }
        self.bind_always(value)
    }

    /// The value in a temporary that may be written through a reference.
    pub(super) fn bind_mutable(&mut self, value: Expr) -> Expr {
        let bound = self.bind_always(value);
        if let ExprKind::Var(id) = bound.kind {
            self.frame().vars[id.0 as usize].mutable = true;
        }
        bound
    }

    /// The value in a temporary, whatever it is.
    pub(super) fn bind_always(&mut self, value: Expr) -> Expr {
        if matches!(value.ty, Type::Unit | Type::Never) {
            return value;
        }
        let ty = value.ty.clone();
        let var = self.frame().new_var("", ty.clone(), false, VarKind::Local);
        self.push(StmtKind::Let { var, init: Some(value) });
        Expr { kind: ExprKind::Var(var), ty }
    }

    /// Whether nothing that happens later can change what the expression computes.
    pub(super) fn is_stable(&mut self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Const(_) | ExprKind::Unit | ExprKind::Closure(_) | ExprKind::Table { .. } => true,
            ExprKind::Var(id) => {
                let frame = self.frame();
                let var = &frame.vars[id.0 as usize];
                !var.mutable || matches!(var.ty, Type::Shared { .. }) || frame.settled.contains(id)
            }
            ExprKind::Ref(place) => self.is_stable_place(place),
            ExprKind::Len(a) => self.is_stable_place(a),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_stable(a),
            ExprKind::Field(a, _) => {
                !matches!(a.kind, ExprKind::Deref(_) | ExprKind::Index { .. }) && self.is_stable(a)
            }
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Builtin { op, args, .. } => {
                op.effect == Effect::Pure && args.iter().all(|a| self.is_stable(a))
            }
            _ => false,
        }
    }

    /// Whether the address of a place cannot change.
    pub(super) fn is_stable_place(&mut self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Table { .. } => true,
            ExprKind::Field(base, _) => self.is_stable_place(base),
            ExprKind::Deref(base) => self.is_stable(base),
            ExprKind::Index { base, index, .. } => self.is_stable_place(base) && self.is_stable(index),
            _ => self.is_stable(place),
        }
    }
}
