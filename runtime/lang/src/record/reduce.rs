//! The ends of iterators: a loop with a variable that collects the items, in Rust's order.

use super::compare_parts::is_ordered;
use super::{Iter, RecordError, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, StmtKind, Type, UnaryOp, VarKind};

impl Recorder {
    /// `.sum()`
    pub fn iter_sum(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        // Rust's sum of no floats is the zero that changes no float.
        self.combined(iter, ty, BinaryOp::Add, "sum", ["0", "-0.0"])
    }

    /// `.product()`
    pub fn iter_product(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        self.combined(iter, ty, BinaryOp::Mul, "product", ["1", "1.0"])
    }

    fn combined(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        op: BinaryOp,
        name: &'static str,
        [integer, float]: [&str; 2],
    ) -> Expr {
        let Some(scalar) = ty.scalar().filter(|s| !s.is_half()) else {
            let what = format!("items whose {name} is a `{ty}`; write the `fold`");
            return self.refuse_argument(name, what);
        };
        let start = self.literal(if scalar.is_float() { float } else { integer }, ty);
        let total = self.accumulator(start);
        self.walk(iter, |r, item| r.assign_op(op, total.clone(), item));
        self.accumulated(total)
    }

    /// `.count()`
    pub fn iter_count(&mut self, iter: Iter<'_>) -> Expr {
        let zero = super::iter::number(0);
        let count = self.accumulator(zero);
        self.walk(iter, |r, item| {
            r.statement(item);
            r.assign_op(BinaryOp::Add, count.clone(), super::iter::number(1))
        });
        self.accumulated(count)
    }

    /// `.min()`: the first of the smallest items.
    pub fn iter_min(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        self.extreme(iter, ty, BinaryOp::Lt, "min")
    }

    /// `.max()`: the last of the largest items.
    pub fn iter_max(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        self.extreme(iter, ty, BinaryOp::Ge, "max")
    }

    fn extreme(&mut self, iter: Iter<'_>, ty: Type, op: BinaryOp, name: &'static str) -> Expr {
        let best = self.nothing_yet(&ty);
        self.walk(iter, |r, item| {
            if !is_ordered(&item.ty) && item.ty != Type::Never {
                let what = format!("items of type `{}`; write the `fold`", item.ty.peeled());
                return r.refuse_argument(name, what);
            }
            let item = r.held(item);
            let some = r.is_variant(best.clone(), "Some");
            let none = r.unary(UnaryOp::Not, some);
            let so_far = r.part(best.clone(), Some("Some"), "0");
            let better = r.ordered(op, &item, &so_far);
            let taken = r.any(vec![none, better]);
            r.when(taken, |r| r.found(&best, item));
            Expr::unit()
        });
        self.accumulated(best)
    }

    /// `.min_by(f)`: the first of the smallest items.
    pub fn iter_min_by(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        self.extreme_by(iter, ty, true, f)
    }

    /// `.max_by(f)`: the last of the largest items.
    pub fn iter_max_by(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        self.extreme_by(iter, ty, false, f)
    }

    /// The item that stays where `f` orders the one so far and the next: the next replaces it if it is smaller, or unless it is.
    fn extreme_by(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        smallest: bool,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        let best = self.nothing_yet(&ty);
        self.walk(iter, |r, item| {
            let item = r.held(item);
            let some = r.is_variant(best.clone(), "Some");
            if r.and_begin(some) {
                let so_far = r.part(best.clone(), Some("Some"), "0");
                let order = r.asked_of_two(f, &so_far, &item);
                let order = r.bind(order);
                let next_is_smaller = r.is_unit_variant(order, "Greater");
                let stays = if smallest { r.negate(next_is_smaller) } else { next_is_smaller };
                r.if_value(stays);
            }
            let stays = r.and_end();
            let taken = r.negate(stays);
            r.when(taken, |r| r.found(&best, item));
            Expr::unit()
        });
        self.accumulated(best)
    }

    /// `.min_by_key(f)`: the first of the items with the smallest key.
    pub fn iter_min_by_key(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        self.extreme_by_key(iter, ty, (BinaryOp::Lt, "min_by_key"), f)
    }

    /// `.max_by_key(f)`: the last of the items with the largest key.
    pub fn iter_max_by_key(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        self.extreme_by_key(iter, ty, (BinaryOp::Ge, "max_by_key"), f)
    }

    fn extreme_by_key(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        (op, name): (BinaryOp, &'static str),
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let mark = self.mark();
        let best = self.nothing_yet(&ty);
        let mut best_key = None;
        self.walk(iter, |r, item| {
            let item = r.held(item);
            let key = r.asked(f, &item);
            let key = r.value(key);
            if !is_ordered(&key.ty) && key.ty != Type::Never {
                let what = format!("keys of type `{}`; write the `fold`", key.ty);
                return r.refuse_argument(name, what);
            }
            let key = r.read_parts(key);
            let key = r.held(key);
            let var = r.frame().new_var("", key.ty.clone(), true, VarKind::Local);
            best_key = Some(var);
            let so_far = Expr { kind: ExprKind::Var(var), ty: key.ty.clone() };
            let some = r.is_variant(best.clone(), "Some");
            let none = r.unary(UnaryOp::Not, some);
            let better = r.ordered(op, &key, &so_far);
            let taken = r.any(vec![none, better]);
            r.when(taken, |r| {
                let kept = r.assign(so_far, key);
                r.statement(kept);
                r.found(&best, item)
            });
            Expr::unit()
        });
        // Its type is known only now.
        if let Some(var) = best_key {
            self.push_at(mark, StmtKind::Let { var, init: None });
        }
        self.accumulated(best)
    }

    /// A value whose parts are values, too: what they were read from may change before the next item.
    fn read_parts(&mut self, value: Expr) -> Expr {
        match value.kind {
            ExprKind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.read_parts(part)).collect();
                self.tuple(parts)
            }
            kind => self.value(Expr { kind, ty: value.ty }),
        }
    }

    /// `.fold(start, f)`
    pub fn iter_fold(
        &mut self,
        iter: Iter<'_>,
        start: Expr,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        let start = self.coerce(start, &ty);
        let folded = self.accumulator(start);
        self.walk(iter, |r, item| {
            let next = f(r, folded.clone(), item);
            r.accumulate(&folded, next)
        });
        self.accumulated(folded)
    }

    /// `.reduce(f)`
    pub fn iter_reduce(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        let reduced = self.nothing_yet(&ty);
        self.walk(iter, |r, item| {
            let item = r.held(item);
            let some = r.is_variant(reduced.clone(), "Some");
            if r.if_then(some) {
                let so_far = r.part(reduced.clone(), Some("Some"), "0");
                let next = f(r, so_far, item.clone());
                let done = r.found(&reduced, next);
                r.if_value(done);
            }
            if r.if_else() {
                let done = r.found(&reduced, item);
                r.if_value(done);
            }
            r.if_end()
        });
        self.accumulated(reduced)
    }

    /// `.any(f)`
    pub fn iter_any(&mut self, iter: Iter<'_>, f: impl FnOnce(&mut Recorder, Expr) -> Expr) -> Expr {
        self.decided(iter, true, f)
    }

    /// `.all(f)`
    pub fn iter_all(&mut self, iter: Iter<'_>, f: impl FnOnce(&mut Recorder, Expr) -> Expr) -> Expr {
        self.decided(iter, false, f)
    }

    /// Whether `f` gave `by` for some item. The loop ends at the first of them with `by`, and otherwise with the opposite.
    fn decided(&mut self, iter: Iter<'_>, by: bool, f: impl FnOnce(&mut Recorder, Expr) -> Expr) -> Expr {
        let start = self.bool_(!by);
        let decided = self.accumulator(start);
        self.walk(iter, |r, item| {
            let given = f(r, item);
            let stops = if by { given } else { r.opposite(given) };
            r.when(stops, |r| {
                let value = r.bool_(by);
                r.assign(decided.clone(), value);
                r.break_(None, None)
            });
            Expr::unit()
        });
        self.accumulated(decided)
    }

    /// `.find(f)`
    pub fn iter_find(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let found = self.nothing_yet(&ty);
        self.walk(iter, |r, item| {
            let item = r.held(item);
            let stops = r.asked(f, &item);
            r.when(stops, |r| {
                r.found(&found, item);
                r.break_(None, None)
            });
            Expr::unit()
        });
        self.accumulated(found)
    }

    /// `.rfind(f)`
    pub fn iter_rfind(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let iter = self.iter_rev(iter);
        self.iter_find(iter, ty, f)
    }

    /// `.find_map(f)`
    pub fn iter_find_map<'a>(
        &mut self,
        iter: Iter<'a>,
        ty: Type,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Expr {
        let iter = self.iter_filter_map(iter, f);
        self.iter_next(iter, ty)
    }

    /// `.next()` of an iterator that ends with it
    pub fn iter_next(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        let found = self.nothing_yet(&ty);
        self.walk(iter, |r, item| {
            let done = r.found(&found, item);
            r.statement(done);
            r.break_(None, None)
        });
        self.accumulated(found)
    }

    /// `.nth(n)` of an iterator that ends with it
    pub fn iter_nth(&mut self, iter: Iter<'_>, n: Expr, ty: Type) -> Expr {
        let iter = self.iter_skip(iter, n);
        self.iter_next(iter, ty)
    }

    /// `.last()`
    pub fn iter_last(&mut self, iter: Iter<'_>, ty: Type) -> Expr {
        let last = self.nothing_yet(&ty);
        self.walk(iter, |r, item| r.found(&last, item));
        self.accumulated(last)
    }

    /// `.position(f)`
    pub fn iter_position(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let iter = self.iter_enumerate(iter);
        self.number_of(iter, ty, f)
    }

    /// `.rposition(f)`
    pub fn iter_rposition(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let iter = self.iter_enumerate(iter);
        let iter = self.iter_rev(iter);
        self.number_of(iter, ty, f)
    }

    /// The number of the first item for which `f` holds, of numbers and items.
    fn number_of(&mut self, iter: Iter<'_>, ty: Type, f: impl FnOnce(&mut Recorder, Expr) -> Expr) -> Expr {
        let found = self.nothing_yet(&ty);
        self.walk(iter, |r, pair| {
            let (number, item) = (r.field(pair.clone(), "0"), r.field(pair, "1"));
            let stops = f(r, item);
            r.when(stops, |r| {
                r.found(&found, number);
                r.break_(None, None)
            });
            Expr::unit()
        });
        self.accumulated(found)
    }

    /// `.for_each(f)`
    pub fn iter_for_each(&mut self, iter: Iter<'_>, f: impl FnOnce(&mut Recorder, Expr) -> Expr) -> Expr {
        self.walk(iter, f);
        Expr::unit()
    }

    /// A loop over an iterator that does `step` with each item.
    pub(super) fn walk(&mut self, iter: Iter<'_>, step: impl FnOnce(&mut Recorder, Expr) -> Expr) {
        let item = self.iter_begin(None, iter, None);
        let done = step(self, item);
        self.statement(done);
        self.for_end();
    }

    /// A variable that starts with a value.
    pub(super) fn accumulator(&mut self, start: Expr) -> Expr {
        let ty = start.ty.clone();
        let var = self.frame().new_var("", ty.clone(), true, VarKind::Local);
        self.push(StmtKind::Let { var, init: Some(start) });
        Expr { kind: ExprKind::Var(var), ty }
    }

    /// An `Option` that starts as `None`.
    pub(super) fn nothing_yet(&mut self, ty: &Type) -> Expr {
        let none = self.construct(ty.clone(), "None", Vec::new());
        self.accumulator(none)
    }

    /// `place = Some(item)`
    pub(super) fn found(&mut self, place: &Expr, item: Expr) -> Expr {
        let some = self.construct(place.ty.clone(), "Some", vec![("0", item)]);
        self.assign(place.clone(), some)
    }

    /// `place = next`, as `place op= …` where `next` is the place and an operand.
    fn accumulate(&mut self, place: &Expr, next: Expr) -> Expr {
        match next.kind {
            ExprKind::Binary(op, left, right)
                if is_same_variable(&left, place) && left.ty == right.ty && has_assignment(op) =>
            {
                self.assign_op(op, place.clone(), *right)
            }
            kind => self.assign(place.clone(), Expr { kind, ty: next.ty }),
        }
    }

    /// The variable's value; a `let` of just it takes the variable over.
    pub(super) fn accumulated(&mut self, place: Expr) -> Expr {
        if let ExprKind::Var(var) = place.kind {
            self.frame().fresh = Some(var);
            self.frame().settled.push(var);
        }
        place
    }

    /// Refuses what a builtin is given.
    pub(super) fn refuse_argument(&mut self, builtin: &'static str, what: String) -> Expr {
        let at = self.location();
        self.fail(RecordError::Argument { builtin, what, at });
        Expr::never()
    }
}

fn is_same_variable(a: &Expr, b: &Expr) -> bool {
    matches!((&a.kind, &b.kind), (ExprKind::Var(a), ExprKind::Var(b)) if a == b)
}

/// Returns whether there is an `op=`.
fn has_assignment(op: BinaryOp) -> bool {
    !op.is_comparison() && !matches!(op, BinaryOp::And | BinaryOp::Or)
}
