//! Adapters of iterators whose closures decide which steps there are: `take_while`, `scan` and their like.

use std::rc::Rc;

use super::ends::{Early, End};
use super::item::{Inlined, Item};
use super::iter::{Iter, number};
use super::{Local, Recorder};
use crate::ir::{BinaryOp, Expr, Type, UnaryOp};

/// What a closure decides at each step.
#[derive(Clone)]
pub(super) enum Decision<'a> {
    /// Whether there is this step, and any after it.
    TakeWhile(Inlined<'a>),
    /// Whether the first steps are left out, as long as the variable holds.
    SkipWhile(Inlined<'a>, Expr),
    /// The item, or that there is no further step.
    MapWhile(Inlined<'a>),
    /// The item, or that this step is left out.
    FilterMap(Inlined<'a>),
    /// Nothing: it looks at the item.
    Inspect(Inlined<'a>),
    /// The number of the step among those that are left, in the variable, beside the item.
    Number(Expr),
    /// Whether the step is none of the first, of which the variable says how many are left out still.
    Drop(Expr),
}

impl Recorder {
    /// The variable of two iterators of these numbers of steps, one after the other.
    pub(super) fn early(&mut self, left: Expr, count: Expr) -> Early {
        Early { from: self.counter(left), count }
    }

    /// The item of a step of two iterators, one after the other, of which the first may end early.
    pub(super) fn chained(
        &mut self,
        Early { from, count }: Early,
        k: Expr,
        left: Item<'_>,
        right: Item<'_>,
    ) -> Expr {
        let is_left = self.binary(BinaryOp::Lt, k.clone(), from.clone());
        if self.if_then(is_left) {
            self.ends.push(End { from: from.clone(), k: k.clone() });
            let item = self.item(left, k.clone());
            let item = self.held(item);
            self.ends.pop();
            self.if_value(item);
        }
        if self.if_else() {
            let number = self.binary(BinaryOp::Sub, k, from);
            let number = self.bind_always(number);
            let ended = self.binary(BinaryOp::Ge, number.clone(), count);
            self.when(ended, Self::end_items);
            let item = self.item(right, number);
            self.if_value(item);
        }
        self.if_end()
    }

    /// Ends the items of the iterator, or of the part of one, whose item is being recorded.
    pub(super) fn end_items(&mut self) -> Expr {
        let Some(End { from, k }) = self.ends.last().cloned() else { return self.break_(None, None) };
        let next = self.binary(BinaryOp::Add, k, number(1));
        let moved = self.assign(from, next);
        self.statement(moved);
        self.continue_(None)
    }

    /// `.take_while(f)`
    pub fn iter_take_while<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        self.iter_decided(iter, Decision::TakeWhile(Rc::new(f)))
    }

    /// `.skip_while(f)`
    pub fn iter_skip_while<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        let skips = self.bool_(true);
        let skips = self.let_("", true, Type::BOOL, skips);
        let skips = self.local(&skips);
        self.iter_decided(iter, Decision::SkipWhile(Rc::new(f), skips))
    }

    /// `.map_while(f)`
    pub fn iter_map_while<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        self.iter_decided(iter, Decision::MapWhile(Rc::new(f)))
    }

    /// `.filter_map(f)`
    pub fn iter_filter_map<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        self.iter_decided(iter, Decision::FilterMap(Rc::new(f)))
    }

    /// `.inspect(f)`
    pub fn iter_inspect<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        self.iter_decided(iter, Decision::Inspect(Rc::new(f)))
    }

    /// `.enumerate()` behind an adapter that leaves out steps.
    pub(super) fn iter_number<'a>(&mut self, iter: Iter<'a>) -> Iter<'a> {
        let zero = number(0);
        let n = self.counter(zero);
        self.iter_decided(iter, Decision::Number(n))
    }

    /// `.skip(n)` behind a closure.
    pub(super) fn iter_drop<'a>(&mut self, iter: Iter<'a>, n: Expr) -> Iter<'a> {
        let n = self.cast(n, Type::U64);
        let left = self.counter(n);
        self.iter_decided(iter, Decision::Drop(left))
    }

    /// `.take(n)` behind an adapter that leaves out steps.
    pub(super) fn iter_limit<'a>(&mut self, iter: Iter<'a>, n: Expr) -> Iter<'a> {
        let n = self.cast(n, Type::U64);
        let left = self.counter(n);
        self.iter_limited(iter, left)
    }

    fn counter(&mut self, start: Expr) -> Expr {
        let n = self.let_("", true, Type::U64, start);
        self.local(&n)
    }

    /// Changes a counter by one.
    pub(super) fn count_one(&mut self, op: BinaryOp, n: &Expr) {
        let next = self.binary(op, n.clone(), number(1));
        self.assign(n.clone(), next);
    }

    /// `.scan(start, f)`, where `start` is the variable that holds the state.
    pub fn iter_scan<'a>(
        &mut self,
        iter: Iter<'a>,
        start: &Local,
        f: impl Fn(&mut Recorder, Expr, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        let state = self.local(start);
        let step = move |r: &mut Recorder, item: Expr| {
            let state = r.ref_(true, state.clone());
            f(r, state, item)
        };
        self.iter_decided(iter, Decision::MapWhile(Rc::new(step)))
    }

    /// The item of a step that a closure decides about.
    pub(super) fn decide(&mut self, decision: Decision<'_>, item: Expr) -> Expr {
        match decision {
            Decision::TakeWhile(f) => {
                let item = self.held(item);
                let goes_on = self.asked(&*f, &item);
                let ends = self.opposite(goes_on);
                self.when(ends, Self::end_items);
                item
            }
            Decision::SkipWhile(f, skips) => {
                let item = self.held(item);
                self.when(skips.clone(), |r| {
                    let skip = r.asked(&*f, &item);
                    r.assign(skips.clone(), skip);
                    r.when(skips, |r| r.continue_(None));
                    Expr::unit()
                });
                item
            }
            Decision::MapWhile(f) => self.some_of(f, item, Self::end_items),
            Decision::FilterMap(f) => self.some_of(f, item, |r| r.continue_(None)),
            Decision::Inspect(f) => {
                let item = self.held(item);
                let done = self.asked(&*f, &item);
                self.statement(done);
                item
            }
            Decision::Number(n) => {
                let item = self.held(item);
                let number = self.bind_always(n.clone());
                self.count_one(BinaryOp::Add, &n);
                self.tuple(vec![number, item])
            }
            Decision::Drop(left) => {
                let item = self.held(item);
                let some = self.binary(BinaryOp::Ne, left.clone(), number(0));
                self.when(some, |r| {
                    r.count_one(BinaryOp::Sub, &left);
                    r.continue_(None)
                });
                item
            }
        }
    }

    /// The value in the `Option` that a closure gives for an item. If it is `None`, control leaves the step.
    fn some_of(&mut self, f: Inlined<'_>, item: Expr, leave: impl FnOnce(&mut Recorder) -> Expr) -> Expr {
        let given = f(self, item);
        let given = self.bind_parts(given);
        let some = self.is_variant(given.clone(), "Some");
        let none = self.unary(UnaryOp::Not, some);
        self.when(none, leave);
        self.part(given, Some("Some"), "0")
    }
}
