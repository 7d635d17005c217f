//! `==` and `!=` of what has parts: tuples and arrays.

use super::Recorder;
use super::place::is_place;
use crate::ir::{BinaryOp, Expr, Type};

/// Elements of arrays that are compared one by one in one expression.
const FEW: usize = 4;

impl Recorder {
    /// `==` and `!=` of tuples and arrays, part by part.
    pub(super) fn compare_parts(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
        let parts = match &left.ty {
            Type::Tuple(items) => items.len(),
            Type::Array(_, n) => *n,
            _ => return None,
        };
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let (left, right) = (self.comparable(left.clone()), self.comparable(right.clone()));
        if matches!(left.ty, Type::Array(..)) && parts > FEW {
            return Some(self.compare_elements(op, left, right, parts));
        }
        let mut tests = Vec::new();
        for i in 0..parts {
            let (a, b) = (self.nth(&left, i), self.nth(&right, i));
            tests.push(self.binary(op, a, b));
        }
        Some(if op == BinaryOp::Eq { self.all(tests) } else { self.any(tests) })
    }

    /// `==` and `!=` of long arrays: a loop.
    fn compare_elements(&mut self, op: BinaryOp, left: Expr, right: Expr, n: usize) -> Expr {
        let bounds = [0, n].map(|bound| self.constant(&bound, None));
        let [start, end] = bounds;
        let elements = self.iter_range(start, end, false);
        let compare = |r: &mut Self, k: Expr| {
            let (a, b) = (r.index(left, k.clone()), r.index(right, k));
            r.binary(op, a, b)
        };
        if op == BinaryOp::Eq { self.iter_all(elements, compare) } else { self.iter_any(elements, compare) }
    }

    /// What is compared part by part: each part of it can be read more than once.
    fn comparable(&mut self, value: Expr) -> Expr {
        match &value.ty {
            Type::Array(..) if is_place(&value) && self.is_stable_place(&value) => value,
            Type::Array(..) => self.bind(value),
            _ => self.bind_parts(value),
        }
    }

    /// Part `i` of a tuple or an array.
    fn nth(&mut self, of: &Expr, i: usize) -> Expr {
        if let Type::Array(..) = of.ty {
            let i = self.constant(&i, None);
            return self.index(of.clone(), i);
        }
        self.field(of.clone(), &i.to_string())
    }
}
