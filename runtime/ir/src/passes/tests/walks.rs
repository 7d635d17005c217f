//! Idioms of cursors that go back, of rings that end where a launch says, of stacks that grow by two, and of guards of quotients and
//! differences.

use super::idioms::{compare, plus, when};
use super::random_kernel::{Writer, binary, constant, expr, narrowed};
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, StmtKind};

use BinaryOp::{Add, And, BitOr, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub};

impl Writer {
    /// One of the idioms.
    pub(super) fn walk(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        match self.dice.below(33) {
            25..28 => self.states(),
            28 | 29 => self.cursor(),
            30.. => self.labelled(scalar),
            23 | 24 => self.options(scalar),
            16..19 => self.window(scalar),
            19..22 => self.tile(scalar),
            22 => self.flattened(scalar),
            11 | 12 => self.rarely(scalar),
            13..16 => self.tree(scalar),
            0 | 1 => self.wheel(scalar),
            2 | 3 => self.there_and_back(scalar),
            4 => self.pushing(scalar),
            5 => self.narrowing(scalar),
            6 => self.quotient(scalar),
            7 => self.apart(scalar),
            8 => self.planes(scalar),
            9 => self.halved(scalar),
            _ => self.packed(scalar),
        }
    }

    /// A number that is mostly small, and now and then a parameter.
    fn small(&mut self, n: i128, scalar: Scalar) -> Expr {
        if self.dice.below(2) == 0 { self.extent(scalar) } else { self.about(n, scalar) }
    }

    /// `while c { a[at]; at += 1; if at == n { at = 0 } }`, and now and then the other way around.
    fn wheel(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n) = (self.store(8), self.small(8, scalar));
        let start = match self.dice.below(3) {
            0 => self.about(0, scalar),
            1 => binary(Rem, &self.leaf(scalar), &constant(8, scalar)),
            _ => self.leaf(scalar),
        };
        let (at, first) = self.new_var(scalar, true, start);
        let (by, back) = (self.about(1, scalar), self.about(0, scalar));
        let order = self.dice.pick(&[Eq, Eq, Eq, Ge, Gt, Ne]);
        let again = when(compare(order, &at, &n), vec![self.change(&at, None, back)]);
        let next = self.change(&at, Some(Add), by);
        let mut body = vec![self.at(&base, at.clone()), next, again];
        if self.dice.below(4) == 0 {
            let (a, b) = (self.dice.below(3), self.dice.below(3));
            body.swap(a, b);
        }
        if self.dice.below(5) == 0 {
            let (goes_on, place) =
                (StmtKind::Continue(crate::ir::LoopId(self.loops + 1)), self.dice.below(3));
            let coin = self.coin();
            body.insert(place, when(coin, vec![goes_on]));
        }
        let turns = match self.dice.below(2) {
            0 => {
                let cond = self.coin();
                self.repeat(cond, body)
            }
            _ => {
                let most = self.small(12, scalar);
                self.range((constant(0, scalar), most), false, |_, _| body)
            }
        };
        vec![first, turns, self.at(&base, at)]
    }

    /// `n = 0; for i in 0..10 { a[n]; if i < 5 { n += 1 } } a[n]`: the iterations after the fifth find five.
    fn rarely(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, begin, by) = (self.store(6), self.about(0, scalar), self.about(1, scalar));
        let (n, first) = self.new_var(scalar, true, begin);
        let [start, end, most] = [0, 10, 5].map(|n| self.about(n, scalar));
        let falls = self.dice.below(3) == 0;
        let order = self.dice.pick(&[Lt, Lt, Le, Gt]);
        let all = self.range((start, end), false, |writer, i| {
            let change = writer.change(&n, Some(if falls { Sub } else { Add }), by);
            let guarded = when(compare(order, &i, &most), vec![change]);
            vec![writer.at(&base, n.clone()), guarded]
        });
        vec![first, all, self.at(&base, n)]
    }

    /// `at = t; for i in 0..n { a[at]; at += w } at -= w; for i in 0..n { a[at]; at -= w }`
    fn there_and_back(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, t, w) = (self.store(32), self.small(3, scalar), self.small(4, scalar));
        let n = match self.dice.below(3) {
            0 => binary(Rem, &self.leaf(scalar), &constant(9, scalar)),
            1 => self.extent(scalar),
            _ => self.about(8, scalar),
        };
        let (at, first) = self.new_var(scalar, true, t);
        let mut stmts = vec![first];
        for op in [Add, Sub] {
            let end = if self.dice.below(4) == 0 { self.about(8, scalar) } else { n.clone() };
            let by = if self.dice.below(4) == 0 { self.about(4, scalar) } else { w.clone() };
            let inclusive = self.dice.below(6) == 0;
            let zero = self.about(0, scalar);
            stmts.push(self.range((zero, end), inclusive, |writer, i| {
                let change = writer.change(&at, Some(op), by);
                let change = match writer.dice.below(4) {
                    0 => {
                        let most = writer.about(4, scalar);
                        when(compare(Lt, &i, &most), vec![change])
                    }
                    _ => change,
                };
                let access = writer.at(&base, at.clone());
                if writer.dice.below(5) == 0 { vec![change, access] } else { vec![access, change] }
            }));
            if op == Add {
                let most = self.about(32, scalar);
                let before = self.at(&base, binary(Sub, &at, &w));
                stmts.push(when(compare(Lt, &at, &most), vec![before]));
            }
            if op == Add && self.dice.below(4) > 0 {
                stmts.push(self.change(&at, Some(Sub), w.clone()));
            }
        }
        stmts.push(self.at(&base, at));
        stmts
    }

    /// `while top > 0 { top -= 1; a[top]; if c { a[top]; a[top + 1]; top += 2 } }`
    fn pushing(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, start) = (self.store(7), self.about(1, scalar));
        let (top, first) = self.new_var(scalar, true, start);
        let [least, less, one, two] = [0, 1, 1, 2].map(|n| self.about(n, scalar));
        let pushed = vec![
            self.at(&base, top.clone()),
            self.at(&base, plus(&top, &one)),
            self.change(&top, Some(Add), two),
        ];
        let coin = self.coin();
        let body = vec![self.change(&top, Some(Sub), less), self.at(&base, top.clone()), when(coin, pushed)];
        vec![first, self.repeat(compare(Gt, &top, &least), body), self.at(&base, top)]
    }

    /// `while low + 1 < high { mid = (low + high) / 2; a[mid]; if c { low = mid } else { high = mid } } a[low]`
    fn narrowing(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, high, low) = (self.store(24), self.small(24, scalar), self.about(0, scalar));
        let ((low, first), (high, second)) =
            (self.new_var(scalar, true, low), self.new_var(scalar, true, high));
        let (one, two) = (self.about(1, scalar), constant(2, scalar));
        let middle = match self.dice.below(2) {
            0 => binary(Div, &plus(&low, &high), &two),
            _ => plus(&low, &binary(Div, &binary(Sub, &high, &low), &two)),
        };
        let (middle, third) = self.new_var(scalar, false, middle);
        let (up, down) = (self.change(&low, None, middle.clone()), self.change(&high, None, middle.clone()));
        let coin = self.coin();
        let choice = StmtKind::If {
            cond: coin,
            then: super::idioms::block(vec![up]),
            otherwise: super::idioms::block(vec![down]),
        };
        let order = self.dice.pick(&[Lt, Lt, Lt, Le]);
        let cond = match self.dice.below(3) {
            0 => compare(Gt, &binary(Sub, &high, &low), &one),
            _ => compare(order, &plus(&low, &one), &high),
        };
        let body = vec![third, self.at(&base, middle), choice];
        vec![first, second, self.repeat(cond, body), self.at(&base, low)]
    }

    /// `q = i / 4; if q < n { a[i]; a[q] }`
    fn quotient(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, i, n) = (self.store(32), self.leaf(scalar), self.small(8, scalar));
        let (op, by) = self.dice.pick(&[(Div, 4), (Shr, 2), (Div, 3)]);
        let (q, first) = self.new_var(scalar, false, binary(op, &i, &constant(by, scalar)));
        let order = self.dice.pick(&[Lt, Lt, Le]);
        let of = if self.dice.below(3) == 0 { binary(op, &i, &constant(by, scalar)) } else { q.clone() };
        let accesses = vec![self.at(&base, i), self.at(&base, q)];
        vec![first, when(compare(order, &of, &n), accesses)]
    }

    /// `if n - i > 3 { a[i + 3]; a[i] }` and `if i - s < 4 { a[i] }`
    fn apart(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, i, n) = (self.store(16), self.leaf(scalar), self.small(16, scalar));
        let (d, first) = self.new_var(scalar, false, binary(Sub, &n, &i));
        let least = self.about(3, scalar);
        let of = if self.dice.below(2) == 0 { d } else { binary(Sub, &n, &i) };
        let order = self.dice.pick(&[Gt, Gt, Ge]);
        let accesses = vec![self.at(&base, plus(&i, &least)), self.at(&base, i.clone())];
        let far = when(compare(order, &of, &least), accesses);
        let (s, most) = (self.about(8, scalar), self.about(8, scalar));
        let near = when(compare(Lt, &binary(Sub, &i, &s), &most), vec![self.at(&base, i.clone())]);
        let differs = compare(Ne, &i, &constant(0, scalar));
        let before = binary(Sub, &i, &constant(1, scalar));
        let other = when(differs, vec![self.at(&base, binary(Rem, &before, &constant(16, scalar)))]);
        let ordered = compare(self.dice.pick(&[Le, Lt]), &i, &n);
        let far = if self.dice.below(2) == 0 { when(ordered, vec![far]) } else { far };
        vec![first, far, near, other]
    }

    /// `let p = &x[m * n * n..(m + 1) * n * n]; for i in 0..n { for j in 0..n { p[i * n + j] } }`
    fn planes(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (m, n) = (self.leaf(scalar), self.small(3, scalar));
        let times = |a: &Expr, b: &Expr| binary(Mul, a, b);
        let next = plus(&m, &self.about(1, scalar));
        let (start, end) = match self.dice.below(3) {
            0 => (times(&times(&m, &n), &n), times(&times(&next, &n), &n)),
            1 => (times(&m, &times(&n, &n)), times(&times(&next, &n), &n)),
            _ => (times(&m, &n), plus(&times(&m, &n), &n)),
        };
        let ((from, first), (to, second)) =
            (self.new_var(scalar, false, start), self.new_var(scalar, false, end));
        let part = self.part_between(from, to);
        let StmtKind::Let { var, init: Some(Expr { ty, .. }) } = &part else { return vec![part] };
        let p = Expr { kind: ExprKind::Var(*var), ty: ty.clone() };
        let zero = || constant(0, scalar);
        let all = self.range((zero(), n.clone()), false, |writer, i| {
            vec![writer.range((zero(), n.clone()), false, |writer, j| {
                vec![writer.at(&p, plus(&times(&i, &n), &j)), writer.at(&p, j)]
            })]
        });
        vec![first, second, part, all]
    }

    /// `s = 1 << i; if t % s == 0 { a[t + s / 2] }`
    fn halved(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(16);
        let t = binary(Rem, &self.leaf(scalar), &constant(16, scalar));
        let ((t, first), zero) = (self.new_var(scalar, false, t), constant(0, scalar));
        let most = self.about(4, scalar);
        let start = self.about(1, scalar);
        vec![
            first,
            self.range((start, most), true, |writer, i| {
                let power = match writer.dice.below(4) {
                    0 => plus(&i, &constant(1, scalar)),
                    _ => binary(Shl, &constant(1, scalar), &i),
                };
                let (s, second) = writer.new_var(scalar, false, power);
                let half = match writer.dice.below(3) {
                    0 => binary(Shr, &s, &constant(1, scalar)),
                    1 => binary(Div, &s, &writer.about(2, scalar)),
                    _ => binary(Div, &s, &constant(2, scalar)),
                };
                let half = if matches!(&half.kind, ExprKind::Binary(Div, _, by) if by.as_int() == Some(0)) {
                    constant(1, scalar)
                } else {
                    half
                };
                let access = vec![writer.at(&base, plus(&t, &half))];
                let multiple = when(compare(Eq, &binary(Rem, &t, &s), &zero), access);
                vec![second, when(compare(Gt, &s, &zero), vec![multiple])]
            }),
        ]
    }

    /// `d = n / 2; while d > 0 { if t < d { a[o * (2 * t + 2) - 1] } o *= 2; d /= 2 }`, and back: `d *= 2` and `o /= 2` before.
    fn tree(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, t, n) = (self.store(16), self.leaf(scalar), self.small(16, scalar));
        let ((t, named), half) = (self.new_var(scalar, false, t), binary(Div, &n, &constant(2, scalar)));
        let one = self.about(1, scalar);
        let ((o, first), (d, second)) =
            (self.new_var(scalar, true, one.clone()), self.new_var(scalar, true, half));
        let guarded = |writer: &mut Self| {
            let (two, more, less) =
                (writer.about(2, scalar), writer.about(2, scalar), writer.about(1, scalar));
            let line = plus(&binary(Mul, &two, &t), &more);
            let product =
                if writer.dice.below(2) == 0 { binary(Mul, &o, &line) } else { binary(Mul, &line, &o) };
            let order = writer.dice.pick(&[Lt, Lt, Lt, Le]);
            let accesses =
                vec![writer.at(&base, binary(Sub, &product, &less)), writer.at(&base, binary(Mul, &o, &t))];
            when(compare(order, &t, &d), accesses)
        };
        let scaled = |writer: &mut Self, place: &Expr, op: BinaryOp| {
            let (op, by) = match (op, writer.dice.below(3)) {
                (Mul, 0) => (Shl, writer.about(1, scalar)),
                (Div, 0) => (Shr, writer.about(1, scalar)),
                _ => (op, writer.about(2, scalar)),
            };
            writer.change(place, Some(op), by)
        };
        let mut up = vec![guarded(self), scaled(self, &o, Mul), scaled(self, &d, Div)];
        let mut down = vec![scaled(self, &o, Div), guarded(self), scaled(self, &d, Mul)];
        for body in [&mut up, &mut down] {
            if self.dice.below(4) == 0 {
                let (a, b) = (self.dice.below(3), self.dice.below(3));
                body.swap(a, b);
            }
        }
        let least = self.about(0, scalar);
        let rising = self.repeat(compare(Gt, &d, &least), up);
        let again = self.change(&d, None, one);
        let falling = self.repeat(compare(Lt, &d, &n), down);
        vec![named, first, second, rising, again, falling, self.at(&base, o)]
    }

    /// `a[(c as u32) << 2 | (d as u32)]`, and a place that is -1 where there is none.
    fn packed(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, by) = (self.store(6), self.about(2, scalar));
        let [high, low] = [(); 2].map(|()| {
            let cond = self.coin();
            narrowed(cond, scalar)
        });
        let bits = binary(BitOr, &binary(Shl, &high, &by), &low);
        let (n, none) = (self.small(6, Scalar::I32), self.about(-1, Scalar::I32));
        let none = binary(Sub, &none, &constant(1, Scalar::I32));
        let (at, first) = self.new_var(Scalar::I32, true, none);
        let coin = self.coin();
        let some = self.range((constant(0, Scalar::I32), n.clone()), false, |writer, i| {
            vec![when(coin, vec![writer.change(&at, None, i)])]
        });
        let is_some = expr(
            ExprKind::Binary(
                And,
                compare(Ne, &at, &constant(-1, Scalar::I32)).into(),
                compare(Lt, &at, &n).into(),
            ),
            Scalar::Bool,
        );
        let access = when(is_some, vec![self.at(&base, at)]);
        vec![self.at(&base, bits), first, some, access]
    }
}
