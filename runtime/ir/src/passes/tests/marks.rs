//! Parts of slices between two marks, which loops move, and merges.

use super::idioms::{compare, plus, when};
use super::random_kernel::{AT, Writer, binary, constant, expr, narrowed, slice};
use crate::ir::{BinaryOp, Expr, ExprKind, Proof, Scalar, StmtKind, VarId, VarKind, Variable};

use BinaryOp::{Add, Ge, Gt, Le, Lt, Ne, Or, Sub};

impl Writer {
    /// `let (mut a, mut b) = (0, n); for i in 0..x.len() { &x[a..i]; a = i + 1 }`, in any order.
    pub(super) fn marks(&mut self) -> Vec<StmtKind> {
        let scalar = self.dice.pick(&[Scalar::U64, Scalar::U64, Scalar::U32, Scalar::I32]);
        let start = self.about(0, scalar);
        let (a, first) = self.new_var(scalar, true, start);
        let end = if self.dice.below(2) == 0 { self.end(scalar) } else { plus(&a, &self.about(1, scalar)) };
        let (b, second) = self.new_var(scalar, true, end);
        let count = 2 + self.dice.below(4);
        let turns = match self.dice.below(3) {
            0 => {
                let of = (self.about(0, scalar), self.end(scalar));
                self.range(of, false, |writer, i| {
                    let mut body = writer.between(&a, &i);
                    body.extend(writer.moves(count / 2, [&a, &b, &i]));
                    let next = plus(&i, &writer.about(1, scalar));
                    let mark = if writer.dice.below(2) == 0 { i.clone() } else { next };
                    body.push(writer.change(&a, None, mark));
                    body
                })
            }
            1 => {
                let cond = compare(self.dice.pick(&[Lt, Lt, Le, Ne]), &a, &b);
                let body = self.moves(count, [&a, &b, &b]);
                self.repeat(cond, body)
            }
            _ => {
                let ends = [self.end(scalar), self.end(scalar)];
                let cond = either(&compare(Lt, &a, &ends[0]), &compare(Lt, &b, &ends[1]));
                let mut body = self.moves(count / 2, [&a, &b, &a]);
                let last = vec![self.element(0, &a)];
                let is_over = self.dice.pick(&[Ge, Ge, Gt]);
                body.push(when(compare(is_over, &b, &ends[1]), last));
                body.extend(self.moves(count, [&a, &b, &b]));
                self.repeat(cond, body)
            }
        };
        let mut all = vec![first, second, turns];
        all.extend(self.moves(2, [&a, &b, &b]));
        all
    }

    /// The length of a slice, or about as much.
    fn end(&mut self, scalar: Scalar) -> Expr {
        let of = Expr { kind: ExprKind::Var(self.slices[0]), ty: slice() };
        match self.dice.below(4) {
            0 => self.about(6, scalar),
            _ => narrowed(expr(ExprKind::Len(of.into()), Scalar::U64), scalar),
        }
    }

    fn element(&mut self, off: i128, at: &Expr) -> StmtKind {
        let of = Expr { kind: ExprKind::Var(self.slices[0]), ty: slice() };
        let scalar = at.ty.scalar().expect("an integer");
        let at = if off == 0 { at.clone() } else { plus(at, &constant(off, scalar)) };
        self.at(&of, at)
    }

    fn moves(&mut self, count: usize, marks: [&Expr; 3]) -> Vec<StmtKind> {
        (0..count).flat_map(|_| self.moved(marks)).collect()
    }

    /// `let p = &x[low..high]; p[0]`
    fn between(&mut self, low: &Expr, high: &Expr) -> Vec<StmtKind> {
        let base = Expr { kind: ExprKind::Var(self.slices[0]), ty: slice() };
        let (start, end) = (Some(low.clone().into()), Some(high.clone().into()));
        let kind = ExprKind::SubSlice { base: base.into(), start, end, at: AT, proof: Proof::Open };
        self.vars.push(Variable { name: "p".into(), ty: slice(), mutable: false, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        let part = Expr { kind: ExprKind::Var(var), ty: slice() };
        let index = self.about(0, Scalar::U64);
        vec![StmtKind::Let { var, init: Some(Expr { kind, ty: slice() }) }, self.at(&part, index)]
    }

    /// A use or a change of marks; the last one may be a loop's counter.
    fn moved(&mut self, [a, b, i]: [&Expr; 3]) -> Vec<StmtKind> {
        let scalar = a.ty.scalar().expect("an integer");
        match self.dice.below(12) {
            0..4 => {
                let (low, high) = self.dice.pick(&[(a, i), (a, b), (a, i), (b, a), (b, i)]);
                self.between(low, high)
            }
            4 => {
                let value = plus(i, &self.about(1, scalar));
                vec![self.change(a, None, value)]
            }
            5 => {
                let (place, op) = self.dice.pick(&[(a, Add), (b, Add), (b, Sub), (a, Sub)]);
                let by = self.about(1, scalar);
                vec![self.change(place, Some(op), by)]
            }
            6 => {
                let (place, value) = self.dice.pick(&[(a, i), (a, b), (b, a), (b, i)]);
                vec![self.change(place, None, value.clone())]
            }
            7 => {
                let cond = compare(self.dice.pick(&[Lt, Le, Gt, Ne]), a, b);
                let then = self.moved([a, b, i]);
                vec![when(cond, then)]
            }
            8 => {
                let cond = self.coin();
                let then = self.moves(2, [a, b, i]);
                vec![when(cond, then)]
            }
            9 => {
                let (cond, other) = (self.coin(), plus(i, &self.about(1, scalar)));
                let kind = ExprKind::Select(cond.into(), i.clone().into(), other.into());
                vec![self.change(a, None, expr(kind, scalar))]
            }
            10 => {
                let (end, more) = (self.end(scalar), self.end(scalar));
                let cond = either(&compare(Ge, a, &end), &compare(Lt, b, &more));
                let denied = compare(self.dice.pick(&[Lt, Le]), a, &end);
                let then = vec![self.element(0, b)];
                vec![when(cond, vec![when(denied, then)])]
            }
            _ => {
                let by = self.about(1, scalar);
                vec![self.element(0, &binary(Sub, b, &by))]
            }
        }
    }
}

fn either(a: &Expr, b: &Expr) -> Expr {
    expr(ExprKind::Binary(Or, a.clone().into(), b.clone().into()), Scalar::Bool)
}
