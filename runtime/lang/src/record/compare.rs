//! Slices compared with each other, and searched: `==`, `contains`, `starts_with` and `ends_with`.

use super::{Callee, Recorder};
use crate::ir::{BinaryOp, Expr, Type, UnaryOp};

impl Recorder {
    /// `a == b` and `a != b`: the lengths, then the elements by what their own `==` is.
    pub(super) fn compare_slices(&mut self, op: BinaryOp, element: &Callee, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.wholes(a, b);
        let [n, m] = [self.length(&a), self.length(&b)];
        let as_long = self.binary(BinaryOp::Eq, n, m);
        let equal = self.alike_if(as_long, element, b, |_| a);
        if op == BinaryOp::Eq { equal } else { self.unary(UnaryOp::Not, equal) }
    }

    /// `<` and its like: that of the first elements that are not equal, and else of the lengths.
    pub(super) fn order_slices(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.wholes(a, b);
        let [n, m] = [self.length(&a), self.length(&b)];
        let of_lengths = self.binary(op, n, m);
        let holds = self.accumulator(of_lengths);
        let [a, b] = [a, b].map(|x| self.iter_elements(x, false));
        let pairs = self.iter_zip(a, b);
        self.walk(pairs, |r, pair| {
            let [a, b] = ["0", "1"].map(|i| {
                let item = r.part(pair.clone(), None, i);
                r.deref(item)
            });
            let [a, b] = [a, b].map(|item| r.bind(item));
            let same = r.ordered(BinaryOp::Eq, &a, &b);
            let differ = r.opposite(same);
            r.when(differ, |r| {
                let of_elements = r.ordered(op, &a, &b);
                let found = r.assign(holds.clone(), of_elements);
                r.statement(found);
                r.break_(None, None)
            });
            Expr::unit()
        });
        self.accumulated(holds)
    }

    /// `x.contains(&value)`
    pub(crate) fn contains(&mut self, element: Callee, x: Expr, value: Expr) -> Expr {
        let x = self.whole(x);
        let value = self.deref(value);
        let value = self.bind(value);
        let elements = self.iter_elements(x, false);
        self.iter_any(elements, |r, item| {
            let item = r.deref(item);
            r.operator(Some(element), BinaryOp::Eq, item, value)
        })
    }

    /// `x.starts_with(&part)`, `x.ends_with(&part)`
    pub(crate) fn begins_or_ends(&mut self, element: &Callee, x: Expr, part: Expr, ends: bool) -> Expr {
        let [x, part] = self.wholes(x, part);
        let [n, m] = [self.length(&x), self.length(&part)];
        let fits = self.binary(BinaryOp::Le, m.clone(), n.clone());
        self.alike_if(fits, element, part, |r| {
            let at = |r: &mut Self| r.binary(BinaryOp::Sub, n.clone(), m.clone());
            let [start, end] = if ends { [Some(at(r)), None] } else { [None, Some(m)] };
            let among = r.sub_slice(false, x, start, end, false);
            r.bind(among)
        })
    }

    /// Whether a condition holds, and then the elements of two slices of one length equal each other.
    fn alike_if(&mut self, cond: Expr, element: &Callee, b: Expr, a: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.and_begin(cond) {
            let a = a(self);
            let [a, b] = [a, b].map(|x| self.iter_elements(x, false));
            let pairs = self.iter_zip(a, b);
            let alike = self.iter_all(pairs, |r, pair| {
                let [a, b] = ["0", "1"].map(|i| {
                    let item = r.part(pair.clone(), None, i);
                    r.deref(item)
                });
                r.operator(Some(element.clone()), BinaryOp::Eq, a, b)
            });
            self.if_value(alike);
        }
        self.and_end()
    }

    fn wholes(&mut self, a: Expr, b: Expr) -> [Expr; 2] {
        [a, b].map(|x| self.whole(x))
    }

    /// All elements of a slice, an array or a view, from here on.
    fn whole(&mut self, x: Expr) -> Expr {
        let x = self.sub_slice(false, x, None, None, false);
        self.bind(x)
    }

    fn length(&mut self, x: &Expr) -> Expr {
        let length = self.call(Some(Callee::Len), vec![x.clone()], Type::U64);
        self.simple(length)
    }
}
