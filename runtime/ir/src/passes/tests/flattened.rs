//! Idioms of grids that are one slice: a number is divided into rows and columns, and has neighbours.

use super::idioms::{compare, plus, when};
use super::random_kernel::{Writer, binary, constant, expr};
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, StmtKind};

use BinaryOp::{And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Sub};

impl Writer {
    /// `if i < w * h { c = i % w; r = i / w; if c > 0 { a[i - 1] } if r + 1 < h { a[i + w] } … }`
    pub(super) fn flattened(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, w, h) = (self.store(40), self.side(scalar), self.side(scalar));
        let i = self.leaf(scalar);
        let (i, named) = self.new_var(scalar, false, i);
        let zero = constant(0, scalar);
        let cells = match self.dice.below(4) {
            0 => binary(Mul, &binary(Mul, &w, &h), &self.side(scalar)),
            1 => self.leaf(scalar),
            _ => binary(Mul, &w, &h),
        };
        let ((c, of_c), (r, of_r)) = (self.divided(Rem, &i, &w, scalar), self.divided(Div, &i, &w, scalar));
        let ((y, of_y), (z, of_z)) = (self.divided(Rem, &r, &h, scalar), self.divided(Div, &r, &h, scalar));
        let plane = binary(Mul, &w, &h);
        let one = self.about(1, scalar);
        let mut body = vec![of_c, of_r, of_y, of_z];
        let ways = [(&c, &w, one), (&y, &h, w.clone()), (&r, &h, w.clone()), (&z, &h, plane)];
        for (place, end, step) in ways {
            let (least, most) = (self.is_positive(place, scalar), self.is_short(place, end, scalar));
            let (before, after) = (self.at(&base, binary(Sub, &i, &step)), self.at(&base, plus(&i, &step)));
            body.extend(match self.dice.below(3) {
                0 => vec![when(both(least, most), vec![before, after])],
                _ => vec![when(least, vec![before]), when(most, vec![after])],
            });
        }
        body.extend(self.corners(&base, [&i, &w, &h], [&c, &r], scalar));
        body.push(self.at(&base, i.clone()));
        let mut inside = compare(self.dice.pick(&[Lt, Lt, Lt, Lt, Le]), &i, &cells);
        if self.dice.below(3) == 0 {
            inside = both(compare(Ge, &i, &zero), inside);
        }
        // Nothing is divided by zero.
        let divides = both(compare(Ne, &w, &zero), compare(Ne, &h, &zero));
        vec![named, when(divides, vec![when(inside, body)])]
    }

    /// Neighbours across a corner, and those around the ends of a row or a column.
    fn corners(
        &mut self,
        base: &Expr,
        [i, w, h]: [&Expr; 3],
        [c, r]: [&Expr; 2],
        scalar: Scalar,
    ) -> Vec<StmtKind> {
        let (zero, one) = (constant(0, scalar), self.about(1, scalar));
        let less = [self.is_positive(c, scalar), self.is_positive(r, scalar)];
        let more = [self.is_short(c, w, scalar), self.is_short(r, h, scalar)];
        let [inside, outside] = [less, more].map(|[a, b]| match self.dice.below(2) {
            0 => both(a, b),
            _ => both(b, a),
        });
        let before = self.at(base, binary(Sub, &binary(Sub, i, w), &one));
        let after = self.at(base, plus(&plus(i, w), &one));
        let first = self.at(base, binary(Sub, &plus(i, w), &one));
        let last = self.at(base, binary(Sub, &plus(i, &one), w));
        let bottom = self.at(base, plus(i, &binary(Mul, &binary(Sub, h, &one), w)));
        vec![
            when(inside, vec![before]),
            when(outside, vec![after]),
            when(compare(Eq, c, &zero), vec![first]),
            when(compare(Eq, &plus(c, &one), w), vec![last]),
            when(compare(Eq, r, &zero), vec![bottom]),
        ]
    }

    /// A side of a grid.
    fn side(&mut self, scalar: Scalar) -> Expr {
        if self.dice.below(3) == 0 { self.about(6, scalar) } else { self.leaf(scalar) }
    }

    /// A quotient or a remainder, mostly with a name.
    fn divided(&mut self, op: BinaryOp, x: &Expr, by: &Expr, scalar: Scalar) -> (Expr, StmtKind) {
        let value = binary(op, x, by);
        let mutable = self.dice.below(6) == 0;
        let (name, made) = self.new_var(scalar, mutable, value.clone());
        (if self.dice.below(5) == 0 { value } else { name }, made)
    }

    /// `x > 0`, or about that.
    fn is_positive(&mut self, x: &Expr, scalar: Scalar) -> Expr {
        match self.dice.below(4) {
            0 => compare(Ne, x, &constant(0, scalar)),
            1 => compare(Ge, x, &self.about(1, scalar)),
            _ => compare(Gt, x, &self.about(0, scalar)),
        }
    }

    /// `x + 1 < end`, or about that.
    fn is_short(&mut self, x: &Expr, end: &Expr, scalar: Scalar) -> Expr {
        let by = self.about(1, scalar);
        let op = self.dice.pick(&[Lt, Lt, Lt, Le]);
        match self.dice.below(4) {
            0 => compare(op, &plus(x, &by), end),
            1 => compare(op, &plus(&by, x), end),
            2 => compare(op, x, &binary(Sub, end, &by)),
            _ => compare(Ne, x, &binary(Sub, end, &by)),
        }
    }
}

fn both(a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(And, a.into(), b.into()), Scalar::Bool)
}
