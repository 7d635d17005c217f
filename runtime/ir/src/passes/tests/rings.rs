//! Idioms of queues, which begin again at their start and hold indices, of stacks, and of diagonals.

use super::idioms::{block, compare, plus, when};
use super::random_kernel::{AT, Writer, binary, constant, expr};
use crate::ir::{BinaryOp, Expr, ExprKind, LoopId, Proof, Scalar, StmtKind, Type, VarId, VarKind, Variable};

use BinaryOp::{Add, And, Ge, Gt, Le, Lt, Mul, Ne, Rem, Sub};

impl Writer {
    /// `head = 0; while c { a[head]; head = (head + 1) % 8 }`, and now and then the other way around.
    pub(super) fn ring(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n) = (self.store(8), self.about(8, scalar));
        let n = if n.as_int() == Some(0) { constant(8, scalar) } else { n };
        let start = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(0, scalar) };
        let (head, first) = self.new_var(scalar, true, start);
        let op = self.dice.pick(&[Add, Add, Add, Sub, Mul]);
        let by = if self.dice.below(3) == 0 { self.leaf(scalar) } else { self.about(1, scalar) };
        let next = binary(Rem, &binary(op, &head, &by), &n);
        let body = vec![self.at(&base, head.clone()), self.change(&head, None, next)];
        let cond = self.coin();
        vec![first, self.repeat(cond, body), self.at(&base, head)]
    }

    /// `for m in 0..n { if t <= m { a[t + n - m]; a[n - m + t - 1] } }`
    pub(super) fn diagonal(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, t) = (self.store(17), self.leaf(scalar));
        let side = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(16, scalar) };
        let end = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(16, scalar) };
        let order = self.dice.pick(&[Le, Le, Le, Lt]);
        let off = self.about(1, scalar);
        vec![self.range((constant(0, scalar), end), false, |writer, m| {
            let along = |sum: Expr, less: &Expr| binary(Sub, &sum, less);
            let index = match writer.dice.below(3) {
                0 => along(plus(&side, &t), &m),
                1 => binary(Sub, &along(plus(&t, &side), &m), &off),
                _ => along(plus(&plus(&t, &side), &off), &m),
            };
            let guarded = writer.at(&base, index);
            vec![when(compare(order, &t, &m), vec![guarded])]
        })]
    }

    /// `while i < n { if size > 0 && c { size -= 1 } while size > 0 && c { size -= 1 } a[size]; a[(head + size) % 8]; size += 1;
    /// i += 1 }`, now and then with other guards, steps and orders.
    pub(super) fn sliding(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, ring, head) = (self.store(24), self.store(8), self.about(7, scalar));
        let n = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(24, scalar) };
        let [start, size] = [(); 2].map(|()| self.about(0, scalar));
        let ((i, first), (size, second)) =
            (self.new_var(scalar, true, start), self.new_var(scalar, true, size));
        let mut taken = Vec::new();
        for is_loop in [false, true] {
            let (least, by) = (self.about(0, scalar), self.about(1, scalar));
            let is_some = compare(self.dice.pick(&[Gt, Gt, Gt, Gt, Ge, Ne]), &size, &least);
            let cond = expr(ExprKind::Binary(And, is_some.into(), self.coin().into()), Scalar::Bool);
            let mut body = vec![self.change(&size, Some(Sub), by)];
            if self.dice.below(6) == 0 {
                let other = self.about(0, scalar);
                body.insert(0, self.change(&size, None, other));
            }
            let lowered = if is_loop { self.repeat(cond, body) } else { when(cond, body) };
            // A queue that nothing leaves grows as far as it may.
            taken.extend((self.dice.below(2) == 0).then_some(lowered));
        }
        let (once, next) = (self.about(1, scalar), self.about(1, scalar));
        let sum = binary(Rem, &plus(&head, &size), &constant(8, scalar));
        let raised = self.change(&size, Some(Add), once);
        let mut body = vec![self.at(&base, size.clone()), self.at(&ring, sum), raised];
        body.splice(0..0, taken);
        let turned = self.change(&i, Some(Add), next);
        let place = if self.dice.below(4) == 0 { self.dice.below(body.len()) } else { body.len() };
        body.insert(place, turned);
        if self.dice.below(4) == 0 {
            // The loop's own number is the next.
            let goes_on = StmtKind::Continue(LoopId(self.loops + 1));
            let places = [self.dice.below(body.len()), body.len() - 1];
            let (place, coin) = (self.dice.pick(&places), self.coin());
            body.insert(place, when(coin, vec![goes_on]));
        }
        vec![first, second, self.repeat(compare(Lt, &i, &n), body), self.at(&base, size)]
    }

    /// `while top >= 0 { let d = top as usize; a[d]; if c { top -= 1 } else { b[d + 1]; top += 1; a[d + 1] } }`, now and then with other
    /// steps and orders.
    pub(super) fn stack(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (one, other) = (self.store(8), self.store(8));
        let start = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(0, scalar) };
        let (top, first) = self.new_var(scalar, true, start);
        let wide = |e: &Expr| expr(ExprKind::Cast(e.clone().into()), Scalar::U64);
        let (d, named) = self.new_var(Scalar::U64, false, wide(&top));
        let next = plus(&d, &self.about(1, Scalar::U64));
        let (down, up) = (self.about(1, scalar), self.about(1, scalar));
        let pops = vec![self.change(&top, Some(Sub), down)];
        let raised = self.change(&top, Some(Add), up);
        let mut pushes = vec![self.at(&other, next.clone()), raised, self.at(&one, next)];
        if self.dice.below(4) == 0 {
            pushes.swap(0, 1);
        }
        let grows = StmtKind::If { cond: self.coin(), then: block(pops), otherwise: block(pushes) };
        let mut body = vec![named, self.at(&one, d.clone()), grows, self.at(&other, d)];
        if self.dice.below(3) == 0 {
            body.swap(1, 2);
        }
        let is_some = compare(self.dice.pick(&[Ge, Ge, Ge, Gt, Ne]), &top, &self.about(0, scalar));
        let cond = expr(ExprKind::Binary(And, is_some.into(), self.coin().into()), Scalar::Bool);
        vec![first, self.repeat(cond, body), self.at(&one, top)]
    }

    /// `a = [0; 4]; while i < n { a[i % 4] = i; x[a[k]]; i += 1 }`, where other numbers are stored now and then.
    pub(super) fn queue(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n) = (self.store(24), self.about(24, scalar));
        let n = if self.dice.below(3) == 0 { self.extent(scalar) } else { n };
        let ty = Type::Array(Type::Scalar(scalar).into(), 4);
        self.vars.push(Variable { name: "q".into(), ty: ty.clone(), mutable: true, kind: VarKind::Local });
        let queue = VarId(self.vars.len() as u32 - 1);
        let items = [0, 1, 2, 0].map(|item| self.about(item, scalar)).into();
        let init = Expr { kind: ExprKind::ArrayList(items), ty: ty.clone() };
        let element = |index: Expr| {
            let base = Expr { kind: ExprKind::Var(queue), ty: ty.clone() }.into();
            expr(ExprKind::Index { base, index: index.into(), at: AT, proof: Proof::Open }, scalar)
        };
        let four = constant(4, scalar);
        let (i, first) = self.new_var(scalar, true, constant(0, scalar));
        let slot = element(binary(Rem, &i, &four));
        let value = match self.dice.below(6) {
            0 => plus(&i, &self.about(1, scalar)),
            1 => self.leaf(scalar),
            2 => element(binary(Rem, &self.leaf(scalar), &four)),
            _ => i.clone(),
        };
        let op = (self.dice.below(6) == 0).then_some(Add);
        let stored = self.change(&slot, op, value);
        let other = element(binary(Rem, &plus(&i, &self.about(2, scalar)), &four));
        let read = self.at(&base, other.clone());
        let mut body = vec![stored, read, self.change(&i, Some(Add), constant(1, scalar))];
        if self.dice.below(2) == 0 {
            body.swap(0, 2);
        }
        let given = StmtKind::Let { var: queue, init: Some(init) };
        vec![given, first, self.repeat(compare(Lt, &i, &n), body), self.at(&base, other)]
    }
}
