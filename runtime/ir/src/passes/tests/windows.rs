//! Windows around an index that are cut off at the ends: convolutions, bands of matrices, filters. And parts of slices, whose lengths may be
//! any numbers.

use super::idioms::{compare, plus, when};
use super::random_kernel::{AT, GREATEST, LEAST, REMAINING, Writer, binary, constant, expr, slice};
use crate::ir::{BinaryOp, Builtin, Expr, ExprKind, Proof, Scalar, StmtKind, VarId, VarKind, Variable};

use BinaryOp::{Div, Ge, Gt, Le, Lt, Mul, Sub};

pub(super) fn call(op: &'static Builtin, args: [&Expr; 2], scalar: Scalar) -> Expr {
    expr(ExprKind::Builtin { op, args: args.map(Clone::clone).to_vec(), at: AT, meaning: None }, scalar)
}

fn choose(cond: Expr, then: &Expr, otherwise: &Expr, scalar: Scalar) -> Expr {
    expr(ExprKind::Select(cond.into(), then.clone().into(), otherwise.clone().into()), scalar)
}

impl Writer {
    /// `for i in 0..n { for j in low..high { w[j + r - i]; w[j - low] } }`, where `low` and `high` are about `i - r` and `i + r`, cut off
    /// at 0 and at `m`.
    pub(super) fn window(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(17);
        let r = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(8, scalar) };
        let (r, first) = self.new_var(scalar, false, r);
        let [n, m] = [(); 2].map(|()| self.extent(scalar));
        let start = self.about(0, scalar);
        let outer = self.range((start, n), false, |writer, i| writer.around(&base, &i, &r, &m, scalar));
        vec![first, outer]
    }

    /// `for i in 0..n { first = 8 * i; rest = min(m - first, 8); if t < rest { y[first + t] } }`: the last tile has fewer elements.
    pub(super) fn tile(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(40);
        let [n, m] = [(); 2].map(|()| self.extent(scalar));
        let start = self.about(0, scalar);
        let outer = self.range((start, n), false, |writer, i| {
            let size = writer.about(8, scalar);
            let (first, named) = writer.new_var(scalar, false, binary(Mul, &i, &size));
            let mut stmts = vec![named];
            let rest = writer.rest(&first, &size, &m, scalar);
            let rest = match writer.dice.below(2) {
                0 => rest,
                _ => {
                    let (own, named) = writer.new_var(scalar, false, rest);
                    stmts.push(named);
                    own
                }
            };
            let index = |writer: &mut Self, t: &Expr| match writer.dice.below(4) {
                0 => plus(&binary(Mul, &plus(&first, t), &writer.about(2, scalar)), &writer.about(1, scalar)),
                1 => plus(&plus(&first, t), &writer.about(0, scalar)),
                _ => plus(&first, t),
            };
            if writer.dice.below(2) == 0 {
                let zero = writer.about(0, scalar);
                let inner = writer.range((zero, rest), false, |writer, t| {
                    let index = index(writer, &t);
                    vec![writer.at(&base, index)]
                });
                stmts.push(inner);
            } else {
                let t = writer.leaf(scalar);
                let index = index(writer, &t);
                let op = writer.dice.pick(&[Lt, Lt, Lt, Le]);
                let cond = compare(op, &t, &rest);
                stmts.push(when(cond, vec![writer.at(&base, index)]));
            }
            stmts
        });
        vec![outer]
    }

    /// `let p = &x[a..a + n]`, `&x[a..n]` or `&x[0..n]`, and then `p[i]` in a loop up to about its length or behind a guard of it, or
    /// `&p[..n / 2]`. Now and then `n` is another one by then.
    pub(super) fn long_part(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (start, count) = (self.leaf(scalar), self.leaf(scalar));
        let changes = self.dice.below(4) == 0;
        let (a, first) = self.new_var(scalar, false, start);
        let (n, second) = self.new_var(scalar, changes, count);
        let (start, end, len) = match self.dice.below(3) {
            0 => (a.clone(), plus(&a, &n), n.clone()),
            1 => (a.clone(), n.clone(), binary(Sub, &n, &a)),
            _ => (self.about(0, scalar), n.clone(), n.clone()),
        };
        let part = self.part_between(start, end);
        let base = Expr { kind: ExprKind::Var(*self.slices.last().expect("the part")), ty: slice() };
        let mut stmts = vec![first, second, part];
        if changes {
            let value = self.about(1, scalar);
            stmts.push(StmtKind::Assign { place: n, op: Some(BinaryOp::Add), value });
        }
        let index = |writer: &mut Self, i: &Expr| match writer.dice.below(3) {
            0 => plus(i, &writer.about(0, scalar)),
            _ => i.clone(),
        };
        stmts.push(match self.dice.below(3) {
            0 => {
                let (zero, inclusive) = (self.about(0, scalar), self.dice.below(6) == 0);
                self.range((zero, len), inclusive, |writer, i| {
                    let index = index(writer, &i);
                    vec![writer.at(&base, index)]
                })
            }
            1 => {
                let (i, op) = (self.leaf(scalar), self.dice.pick(&[Lt, Lt, Le]));
                let index = index(self, &i);
                when(compare(op, &i, &len), vec![self.at(&base, index)])
            }
            _ => {
                let end = binary(Div, &len, &constant(self.dice.pick(&[1, 2, 3]), scalar));
                let (start, end, proof) = (None, Some(index(self, &end).into()), Proof::Open);
                let part = ExprKind::SubSlice { base: base.into(), start, end, at: AT, proof };
                let part = Expr { kind: part, ty: slice() };
                let kind = VarKind::Local;
                self.vars.push(Variable { name: "p".into(), ty: slice(), mutable: false, kind });
                StmtKind::Let { var: VarId(self.vars.len() as u32 - 1), init: Some(part) }
            }
        });
        self.slices.pop();
        stmts
    }

    /// About what a tile has left of `m`.
    fn rest(&mut self, first: &Expr, size: &Expr, m: &Expr, scalar: Scalar) -> Expr {
        let left = binary(Sub, m, first);
        match self.dice.below(6) {
            0 => left,
            1 => call(&LEAST, [&left, size], scalar),
            2 => call(&REMAINING, [m, first], scalar),
            3 => call(&LEAST, [&call(&REMAINING, [m, first], scalar), size], scalar),
            4 => binary(Sub, &call(&LEAST, [&plus(first, size), m], scalar), first),
            _ => choose(compare(Gt, m, first), &left, &self.about(0, scalar), scalar),
        }
    }

    fn around(&mut self, base: &Expr, i: &Expr, r: &Expr, m: &Expr, scalar: Scalar) -> Vec<StmtKind> {
        let (low, high) = (self.left_end(i, r, scalar), self.right_end(i, r, m, scalar));
        let mut stmts = Vec::new();
        let [low, high] = [low, high].map(|end| {
            if self.dice.below(2) == 0 {
                return end;
            }
            let (named, first) = self.new_var(scalar, false, end);
            stmts.push(first);
            named
        });
        let inclusive = self.dice.below(5) == 0;
        let off = self.about(1, scalar);
        stmts.push(self.range((low.clone(), high.clone()), inclusive, |writer, j| {
            let index = match writer.dice.below(7) {
                0..3 => binary(Sub, &plus(&j, r), i),
                3 => binary(Sub, &plus(&plus(r, &j), &off), i),
                4 => binary(Sub, &plus(i, r), &j),
                5 => binary(Sub, &binary(Sub, &high, &off), &j),
                _ => binary(Sub, &j, &low),
            };
            if writer.dice.below(2) == 0 {
                return vec![writer.at(base, index)];
            }
            let (slot, first) = writer.new_var(scalar, false, index);
            let next = plus(&slot, &off);
            let guarded = writer.at(base, next.clone());
            let end = plus(&plus(r, r), &writer.about(1, scalar));
            vec![first, writer.at(base, slot), when(compare(Lt, &next, &end), vec![guarded])]
        }));
        stmts
    }

    /// About `i - r`, but not below 0.
    fn left_end(&mut self, i: &Expr, r: &Expr, scalar: Scalar) -> Expr {
        let (less, zero) = (binary(Sub, i, r), self.about(0, scalar));
        let least = self.dice.pick(&[Gt, Ge, Gt, Ge, Lt]);
        let most = self.dice.pick(&[Lt, Le, Lt, Le, Gt]);
        match self.dice.below(6) {
            0 | 1 => call(&REMAINING, [i, r], scalar),
            2 => choose(compare(least, i, r), &less, &zero, scalar),
            3 => choose(compare(most, i, r), &zero, &less, scalar),
            4 => binary(Sub, &call(&GREATEST, [i, r], scalar), r),
            _ => less,
        }
    }

    /// About `i + r`, but not above `m`, or what is left of `m` behind `i`.
    fn right_end(&mut self, i: &Expr, r: &Expr, m: &Expr, scalar: Scalar) -> Expr {
        let more = plus(&plus(i, r), &self.about(1, scalar));
        match self.dice.below(6) {
            5 => binary(Sub, m, i),
            0..3 => call(&LEAST, [&more, m], scalar),
            3 => choose(compare(Lt, &more, m), &more, m, scalar),
            _ => more,
        }
    }
}
