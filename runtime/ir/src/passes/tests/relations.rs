//! Idioms whose indices rest on what two variables are to each other: matches, rings, butterflies, triangles, differences, rows.

use super::idioms::{compare, plus, when};
use super::random_kernel::{AT, Writer, binary, constant, expr};
use crate::ir::{BinaryOp, Expr, ExprKind, Proof, Scalar, StmtKind, Type, VarId, VarKind, Variable};

use BinaryOp::{Add, And, BitAnd, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub};

impl Writer {
    /// One of the idioms.
    pub(super) fn relation(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        match self.dice.below(9) {
            0 => self.matching(scalar),
            1 => self.wrapping(scalar),
            2 => self.butterfly(scalar),
            3 => self.pairs(scalar),
            4 => self.listed(scalar),
            5 => self.rotating(scalar),
            6 => self.probing(scalar),
            7 => self.row(scalar),
            _ => self.difference(scalar),
        }
    }

    /// `while w < t { while len < 9 && t + len < n { a[w + len]; a[t + len]; len += 1 } w += 1 }`
    fn matching(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, t, n) = (self.store(40), self.extent(scalar), self.about(40, scalar));
        let n = if self.dice.below(3) == 0 { self.extent(scalar) } else { n };
        let (w, len) = (self.about(0, scalar), self.about(0, scalar));
        let ((w, first), (len, begin)) = (self.new_var(scalar, true, w), self.new_var(scalar, true, len));
        let order = self.dice.pick(&[Lt, Lt, Lt, Le]);
        let most = self.about(9, scalar);
        let sum = if self.dice.below(2) == 0 { plus(&t, &len) } else { plus(&len, &t) };
        let is_short = compare(Lt, &len, &most);
        let inside = compare(self.dice.pick(&[Lt, Lt, Lt, Le]), &sum, &n);
        let cond = expr(ExprKind::Binary(And, is_short.into(), inside.into()), Scalar::Bool);
        let by = [(); 2].map(|()| self.about(1, scalar));
        let body = vec![
            self.at(&base, plus(&w, &len)),
            self.at(&base, sum),
            self.change(&len, Some(Add), by[0].clone()),
        ];
        let inner = self.repeat(cond, body);
        let body = vec![begin, inner, self.change(&w, Some(Add), by[1].clone())];
        vec![first, self.repeat(compare(order, &w, &t), body)]
    }

    /// `while c { a[head]; next = head + 5; if next >= 8 { next -= 8 } a[next]; head = next }`
    fn wrapping(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, start) = (self.store(8), self.about(0, scalar));
        let (head, first) = self.new_var(scalar, true, start);
        let by = if self.dice.below(2) == 0 { self.about(1, scalar) } else { self.about(5, scalar) };
        let (next, made) = self.new_var(scalar, true, plus(&head, &by));
        let (limit, less) = (self.about(8, scalar), self.about(8, scalar));
        let is_past = compare(self.dice.pick(&[Ge, Ge, Ge, Gt]), &next, &limit);
        let back = when(is_past, vec![self.change(&next, Some(Sub), less)]);
        let body = vec![
            self.at(&base, head.clone()),
            made,
            back,
            self.at(&base, next.clone()),
            self.change(&head, None, next),
        ];
        let cond = self.coin();
        vec![first, self.repeat(cond, body), self.at(&base, head)]
    }

    /// `s = 1; while s < 16 { if t % (2 * s) == 0 { a[t + s] } if t & s == 0 { a[t + s] } s *= 2 }`
    fn butterfly(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, most, start) = (self.store(32), self.about(31, scalar), self.about(1, scalar));
        let t = self.leaf(scalar);
        let t = if self.dice.below(2) == 0 { t } else { binary(Rem, &t, &constant(32, scalar)) };
        let ((t, named), (s, first)) = (self.new_var(scalar, false, t), self.new_var(scalar, true, start));
        let by = self.about(2, scalar);
        let twice = match self.dice.below(3) {
            0 => binary(Shl, &s, &constant(1, scalar)),
            1 => binary(Mul, &constant(2, scalar), &s),
            _ => binary(Mul, &s, &by),
        };
        let zero = constant(0, scalar);
        let sum = if self.dice.below(2) == 0 { plus(&t, &s) } else { plus(&s, &t) };
        let multiple = when(compare(Eq, &binary(Rem, &t, &twice), &zero), vec![self.at(&base, sum.clone())]);
        let apart = when(compare(Eq, &binary(BitAnd, &t, &s), &zero), vec![self.at(&base, sum)]);
        let (op, by) = match self.dice.below(4) {
            0 => (Shl, constant(1, scalar)),
            1 => (self.dice.pick(&[Add, Shr, Div]), constant(1, scalar)),
            _ => (Mul, self.about(2, scalar)),
        };
        let by = if op == Div { constant(2, scalar) } else { by };
        let end = self.about(32, scalar);
        // A remainder is of a divisor that is not zero.
        let positive = compare(Gt, &s, &zero);
        let mut pairs = vec![multiple, apart];
        pairs.extend(self.pair_elements(&t, &s, &twice, scalar));
        let guarded = when(positive.clone(), vec![when(compare(Le, &t, &most), pairs)]);
        let cond = expr(ExprKind::Binary(And, positive.into(), compare(Lt, &s, &end).into()), Scalar::Bool);
        let body = vec![guarded, self.change(&s, Some(op), by)];
        vec![named, first, self.repeat(cond, body)]
    }

    /// `a[t / s * (2 * s) + t % s + s]; a[2 * t - (t & (s - 1)) + s]; a[((t - t % s) << 1) + t % s + s]`
    fn pair_elements(&mut self, t: &Expr, s: &Expr, twice: &Expr, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(64);
        let by = self.about(1, scalar);
        let (one, two) = (constant(1, scalar), self.about(2, scalar));
        let rest = match self.dice.below(3) {
            0 => binary(Rem, t, &plus(s, &self.about(0, scalar))),
            1 => binary(BitAnd, t, &binary(Sub, s, &by)),
            _ => binary(Rem, t, s),
        };
        let low = match self.dice.below(3) {
            0 => plus(&binary(Mul, &binary(Div, t, s), twice), &rest),
            1 => binary(Sub, &binary(Mul, &two, t), &rest),
            _ => plus(&binary(Shl, &binary(Sub, t, &rest), &one), &rest),
        };
        vec![self.at(&base, plus(&low, s)), self.at(&base, low)]
    }

    /// `for i in 0..n { for j in i + 1..n { a[j - i - 1]; a[j - i] } }`
    fn pairs(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n) = (self.store(8), self.about(8, scalar));
        let m = if self.dice.below(3) == 0 { self.extent(scalar) } else { self.about(8, scalar) };
        let inclusive = self.dice.below(4) == 0;
        vec![self.range((constant(0, scalar), n), inclusive, |writer, i| {
            let (start, less) = (plus(&i, &writer.about(1, scalar)), writer.about(1, scalar));
            vec![writer.range((start, m), false, |writer, j| {
                let apart = binary(Sub, &j, &i);
                vec![writer.at(&base, binary(Sub, &apart, &less)), writer.at(&base, apart)]
            })]
        })]
    }

    /// `for i in 0..n { a[if i + 1 == n { 0 } else { i + 1 }]; a[(i + 1) % n] }`
    fn rotating(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n) = (self.store(8), self.about(8, scalar));
        let n = if self.dice.below(3) == 0 { self.extent(scalar) } else { n };
        let start = if self.dice.below(3) == 0 { self.leaf(scalar) } else { self.about(0, scalar) };
        let inclusive = self.dice.below(6) == 0;
        vec![self.range((start, n.clone()), inclusive, |writer, i| {
            let next = plus(&i, &writer.about(1, scalar));
            let last = if writer.dice.below(4) == 0 { writer.about(8, scalar) } else { n.clone() };
            let zero = constant(0, scalar);
            let (op, parts) = match writer.dice.below(2) {
                0 => (Eq, (zero.clone(), next.clone())),
                _ => (Ne, (next.clone(), zero.clone())),
            };
            let kind = ExprKind::Select(compare(op, &next, &last).into(), parts.0.into(), parts.1.into());
            let rotated = writer.at(&base, expr(kind, scalar));
            let remainder = writer.at(&base, binary(Rem, &next, &n));
            vec![rotated, when(compare(Ne, &n, &zero), vec![remainder])]
        })]
    }

    /// `slot = (t >> 3) & m; while c { a[slot]; slot = (slot + 1) & m; other = … }`
    fn probing(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, m, t) = (self.store(8), self.about(7, scalar), self.leaf(scalar));
        let m = if self.dice.below(2) == 0 { self.extent(scalar) } else { m };
        let by = constant(self.dice.pick(&[0, 3, 7]), scalar);
        let (slot, first) = self.new_var(scalar, true, binary(BitAnd, &binary(Shr, &t, &by), &m));
        let begin = if self.dice.below(2) == 0 { self.leaf(scalar) } else { self.about(9, scalar) };
        let (other, second) = self.new_var(scalar, true, begin);
        let (by, value) = (self.about(1, scalar), self.leaf(scalar));
        let body = vec![
            self.at(&base, slot.clone()),
            self.change(&slot, None, binary(BitAnd, &plus(&slot, &by), &m)),
            self.change(&other, None, value),
        ];
        let cond = self.coin();
        vec![first, second, self.repeat(cond, body), self.at(&base, slot)]
    }

    /// `let p = &x[r * n..(r + 1) * n]; for i in 0..n { p[i] }`
    fn row(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (r, n) = (self.leaf(scalar), self.about(8, scalar));
        let n = if self.dice.below(3) == 0 { self.extent(scalar) } else { n };
        let next = plus(&r, &self.about(1, scalar));
        let of = |writer: &mut Self, row: &Expr| match writer.dice.below(2) {
            0 => binary(Mul, row, &n),
            _ => binary(Mul, &n, row),
        };
        let (start, end) = (of(self, &r), of(self, &next));
        let part = self.part_between(start, end);
        let StmtKind::Let { var, init: Some(Expr { ty, .. }) } = &part else { return vec![part] };
        let p = Expr { kind: ExprKind::Var(*var), ty: ty.clone() };
        let all = self.range((constant(0, scalar), n), false, |writer, i| vec![writer.at(&p, i)]);
        vec![part, all]
    }

    /// `let list = [m, t % 3, 2]; a[list[i % 3]]`
    fn listed(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, m) = (self.store(9), self.leaf(scalar));
        let items = vec![binary(Rem, &m, &constant(9, scalar)), self.about(8, scalar), self.extent(scalar)];
        let ty = Type::Array(Type::Scalar(scalar).into(), items.len());
        let list = Expr { kind: ExprKind::ArrayList(items), ty: ty.clone() };
        self.vars.push(Variable {
            name: "list".into(),
            ty: ty.clone(),
            mutable: false,
            kind: VarKind::Local,
        });
        let var = VarId(self.vars.len() as u32 - 1);
        let at = binary(Rem, &self.leaf(Scalar::U32), &constant(3, Scalar::U32));
        let of = Expr { kind: ExprKind::Var(var), ty };
        let kind = ExprKind::Index { base: of.into(), index: at.into(), at: AT, proof: Proof::Open };
        let (chosen, second) = self.new_var(scalar, false, expr(kind, scalar));
        vec![StmtKind::Let { var, init: Some(list) }, second, self.at(&base, chosen)]
    }

    /// `if b <= a && a - b < n { x[a - b] }`
    fn difference(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, [a, b]) = (self.store(16), [(); 2].map(|()| self.leaf(scalar)));
        let (less, n) = (binary(Sub, &a, &b), self.about(16, scalar));
        let order = self.dice.pick(&[Le, Le, Lt]);
        let inner = when(compare(Lt, &less, &n), vec![self.at(&base, less)]);
        vec![when(compare(order, &b, &a), vec![inner])]
    }
}
