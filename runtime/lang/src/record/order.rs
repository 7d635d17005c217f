//! Evaluation order: operands that another operand's effect could change get temporaries.

use super::place::Moment;
use super::{Callee, Mark, Recorder};
use crate::ir::{Expr, ExprKind, Stmt, StmtKind, Type, VarKind};

/// How a method takes its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// `self`
    Value,
    /// `&self`
    Shared,
    /// `&mut self`
    Mutable,
}

impl Receiver {
    /// Returns whether the method may write its receiver.
    pub fn is_written(self) -> bool {
        self == Self::Mutable
    }
}

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
        if self.happened_since(mark, neighbour) { self.hold(operand, &mut Moment::At(mark)) } else { operand }
    }

    /// A place that was evaluated at `mark`: its address is what it was, its value is not read yet.
    pub fn keep_place(&mut self, operand: Expr, mark: &mut Mark, neighbour: &Expr) -> Expr {
        if self.happened_since(mark, neighbour) {
            self.pin_base(operand, &mut Moment::At(mark))
        } else {
            operand
        }
    }

    /// A method's receiver that was evaluated at `mark`: a place if it is taken by reference, else its value.
    pub fn keep_receiver(
        &mut self,
        receiver: Receiver,
        operand: Expr,
        mark: &mut Mark,
        neighbour: &Expr,
    ) -> Expr {
        if receiver == Receiver::Value {
            let operand = self.value(operand);
            self.keep(operand, mark, neighbour)
        } else {
            self.keep_place(operand, mark, neighbour)
        }
    }

    /// Returns whether an operand at `mark` may be changed by the neighbour that was recorded since.
    fn happened_since(&mut self, mark: &Mark, neighbour: &Expr) -> bool {
        let frame = self.frame();
        let added = frame.blocks.len() == mark.depth && frame.block().stmts.len() > mark.stmts;
        added || neighbour.has_effect()
    }

    /// The way in which a call takes its first operand; `writes` decides where only the method's name tells.
    pub fn receiver(&mut self, callee: Option<Callee>, writes: bool) -> Receiver {
        let by_reference = if writes { Receiver::Mutable } else { Receiver::Shared };
        match callee {
            Some(Callee::Builtin(op, _)) if op.by_reference => by_reference,
            Some(Callee::Device(device)) => self.receiver_of(&device),
            Some(
                Callee::Len
                | Callee::Reinterpret
                | Callee::SplitAt
                | Callee::Parts(..)
                | Callee::IsEmpty
                | Callee::Pointer
                | Callee::Place
                | Callee::OfSlice(_),
            ) => by_reference,
            Some(Callee::Recorded(_)) if writes => Receiver::Mutable,
            _ => Receiver::Value,
        }
    }

    /// The receiver of a method that is no place in Rust: never the variable that it was read from.
    pub fn receiver_value(&mut self, receiver: Receiver, value: Expr) -> Expr {
        if receiver.is_written() { self.temporary(value) } else { self.rvalue(value) }
    }

    /// Binds a value at a mark.
    pub(super) fn bind_at(&mut self, operand: Expr, mark: &mut Mark) -> Expr {
        if operand.ty == Type::Never || operand.ty == Type::Unit && !operand.has_effect() {
            return operand;
        }
        let frame = self.frame();
        let (at, ty) = (frame.line, operand.ty.clone());
        let (kind, bound) = if ty == Type::Unit {
            (StmtKind::Expr(operand), ExprKind::Unit)
        } else {
            let var = frame.new_var("", ty.clone(), false, VarKind::Local);
            (StmtKind::Let { var, init: Some(operand) }, ExprKind::Var(var))
        };
        let stmt = Stmt { kind, at };
        let index = mark.stmts;
        let block = frame.block();
        if !block.dead && index <= block.stmts.len() {
            block.stmts.insert(index, stmt);
            mark.stmts += 1;
        }
        Expr { kind: bound, ty }
    }

    /// Adds a statement at a position of the open block.
    pub(super) fn push_at(&mut self, mark: Mark, kind: StmtKind) {
        let frame = self.frame();
        let at = frame.line;
        let block = frame.block();
        if !block.dead && mark.stmts <= block.stmts.len() {
            block.stmts.insert(mark.stmts, Stmt { kind, at });
        }
    }

    /// Makes any order of evaluation of the operands Rust's: where one has an effect, the others are temporaries
    /// or cannot change.
    pub(super) fn sequence(&mut self, operands: &mut [Expr]) {
        let Some(last) = operands.iter().rposition(|e| !self.is_stable(e)) else { return };
        let effect = operands.iter().rposition(Expr::has_effect);
        for (i, operand) in operands[..last].iter_mut().enumerate() {
            if operand.has_effect() || effect.is_some_and(|effect| i < effect) {
                let value = std::mem::replace(operand, Expr::unit());
                *operand = self.bind(value);
            }
        }
        // A unit value is no operand in CUDA: what it does is a statement before.
        for operand in operands.iter_mut().filter(|e| e.ty == Type::Unit && e.has_effect()) {
            let value = std::mem::replace(operand, Expr::unit());
            *operand = self.bind_always(value);
        }
    }

    /// [`Recorder::sequence`], where the first operand is a place that is handed on.
    pub(super) fn sequence_after_place(&mut self, operands: &mut [Expr]) {
        let Some((first, rest)) = operands.split_first_mut() else { return };
        if rest.iter().any(Expr::has_effect) || first.has_effect() {
            let place = std::mem::replace(first, Expr::unit());
            *first = self.pin_base(place, &mut Moment::Now);
        }
        self.sequence(rest);
    }

    /// The value in a temporary, unless it is stable already.
    pub fn bind(&mut self, value: Expr) -> Expr {
        if self.is_stable(&value) {
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
        if value.ty == Type::Never || value.ty == Type::Unit && !value.has_effect() {
            return value;
        }
        if value.ty == Type::Unit {
            self.push(StmtKind::Expr(value));
            return Expr::unit();
        }
        let ty = value.ty.clone();
        let var = self.frame().new_var("", ty.clone(), false, VarKind::Local);
        self.push(StmtKind::Let { var, init: Some(value) });
        Expr { kind: ExprKind::Var(var), ty }
    }
}
