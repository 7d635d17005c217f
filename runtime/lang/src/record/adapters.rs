//! Adapters of iterators: what an iterator becomes by `zip`, `rev`, `map` and their like.

use std::rc::Rc;

use super::count::is_small;
use super::item::Item;
use super::iter::{Iter, LoopCount, number, select};
use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, Type};

impl Recorder {
    /// `.enumerate()`
    pub fn iter_enumerate<'a>(&mut self, iter: Iter<'a>) -> Iter<'a> {
        if iter.item.leaves_out() {
            return self.iter_number(iter);
        }
        let long = iter.long;
        let (count, item) = self.counted(iter);
        Iter { extent: LoopCount::Count(count), item: Item::Enumerate(item.into()), long }
    }

    /// `.zip(other)`
    pub fn iter_zip<'a>(&mut self, left: Iter<'a>, right: Iter<'a>) -> Iter<'a> {
        if left.item.advances() {
            self.refuse_advance("zip");
        } else if left.item.leaves_out() || right.item.leaves_out() {
            self.refuse_order("zip");
        }
        let long = left.long && right.long;
        let (left, right) = (self.counted(left), self.counted(right));
        let count = self.smaller(left.0, right.0);
        Iter { extent: LoopCount::Count(count), item: Item::Zip(left.1.into(), right.1.into()), long }
    }

    /// `.chain(other)`
    pub fn iter_chain<'a>(&mut self, left: Iter<'a>, right: Iter<'a>) -> Iter<'a> {
        if left.item.is_nested() || right.item.is_nested() {
            self.refuse_order("chain");
        }
        let long = left.long || right.long;
        let (left, right) = (self.counted(left), self.counted(right));
        let count = self.sum_of_counts(left.0.clone(), right.0.clone(), long);
        let item = match left.1.ends_early() {
            true => Item::ChainEarly(self.early(left.0, right.0), left.1.into(), right.1.into()),
            false => Item::Chain(left.0, left.1.into(), right.1.into()),
        };
        Iter { extent: LoopCount::Count(count), item, long }
    }

    /// `.rev()`
    pub fn iter_rev<'a>(&mut self, mut iter: Iter<'a>) -> Iter<'a> {
        if iter.item.advances() {
            self.refuse_advance("rev");
        } else if iter.item.is_ordered() {
            self.refuse_order("rev");
        }
        if let LoopCount::Range { step: None, reversed, .. } = &mut iter.extent {
            *reversed = !*reversed;
            return iter;
        }
        let long = iter.long;
        let (count, item) = self.counted(iter);
        Iter { item: Item::Reversed(count.clone(), item.into()), extent: LoopCount::Count(count), long }
    }

    /// `.step_by(n)`
    pub fn iter_step_by<'a>(&mut self, mut iter: Iter<'a>, n: Expr) -> Iter<'a> {
        if iter.item.advances() {
            self.refuse_advance("step_by");
        } else if iter.item.runs_closures() {
            self.refuse_order("step_by");
        }
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        let n = self.nonzero_step(n);
        if let LoopCount::Range { step: step @ None, reversed: false, .. }
        | LoopCount::Steps { step: step @ None, .. } = &mut iter.extent
        {
            *step = Some(n);
            return iter;
        }
        if let LoopCount::Count(end) = iter.extent {
            return Iter { extent: LoopCount::Steps { start: number(0), end, step: Some(n) }, ..iter };
        }
        let long = iter.long;
        let range = match &iter.extent {
            LoopCount::Range { start, end, inclusive: true, .. } => Some([start.clone(), end.clone()]),
            _ => None,
        };
        let is_endless = matches!(iter.extent, LoopCount::Endless(_));
        let (mut count, item) = self.counted(iter);
        if !is_endless {
            count = self.steps(count, &n, long);
        }
        if let Some(range) = range {
            count = self.with_last(count, &range, &n);
        }
        Iter { extent: LoopCount::Count(count), item: Item::Step(n, item.into()), long }
    }

    /// `.skip(n)`
    pub fn iter_skip<'a>(&mut self, iter: Iter<'a>, n: Expr) -> Iter<'a> {
        if iter.item.runs_closures() || iter.item.advances() {
            return self.iter_drop(iter, n);
        }
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        if let LoopCount::Count(end) = iter.extent {
            return Iter { extent: LoopCount::Steps { start: n, end, step: None }, ..iter };
        }
        let long = iter.long;
        let (count, item) = self.counted(iter);
        let some = self.binary(BinaryOp::Lt, n.clone(), count.clone());
        let count = self.count_if(some, |r| r.binary(BinaryOp::Sub, count, n.clone()));
        Iter { extent: LoopCount::Count(count), item: Item::Skip(n, item.into()), long }
    }

    /// `.take(n)`
    pub fn iter_take<'a>(&mut self, iter: Iter<'a>, n: Expr) -> Iter<'a> {
        if iter.item.leaves_out() {
            return self.iter_limit(iter, n);
        }
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        let long = iter.long && !is_small(&n);
        let (count, item) = self.counted(iter);
        Iter { extent: LoopCount::Count(self.smaller(count, n)), item, long }
    }

    /// `.copied()`, `.cloned()`
    pub fn iter_copied<'a>(&mut self, iter: Iter<'a>) -> Iter<'a> {
        Iter { item: Item::Copied(iter.item.into()), ..iter }
    }

    /// `.map(f)`
    pub fn iter_map<'a>(&mut self, iter: Iter<'a>, f: impl Fn(&mut Recorder, Expr) -> Expr + 'a) -> Iter<'a> {
        Iter { item: Item::Map(Rc::new(f), iter.item.into()), ..iter }
    }

    /// `.filter(f)`
    pub fn iter_filter<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr) -> Expr + 'a,
    ) -> Iter<'a> {
        Iter { item: Item::Filter(Rc::new(f), iter.item.into()), ..iter }
    }

    /// Refuses an adapter that counts steps, where some steps give no item.
    fn refuse_order(&mut self, adapter: &'static str) {
        let at = self.location();
        self.fail(RecordError::Order { adapter, at });
    }

    /// Refuses an adapter that takes items of an iterator in a variable, and does not give them.
    fn refuse_advance(&mut self, adapter: &'static str) {
        let at = self.location();
        self.fail(RecordError::Advance { adapter, at });
    }

    fn smaller(&mut self, a: Expr, b: Expr) -> Expr {
        let is_most = |count: &Expr| count.as_int() == Some(u64::MAX.into());
        if is_same_length(&a, &b) || is_most(&b) {
            return a;
        }
        if is_most(&a) {
            return b;
        }
        let less = self.binary(BinaryOp::Lt, a.clone(), b.clone());
        if let Some(known) = less.as_bool() {
            return if known { a } else { b };
        }
        self.simple(select(less, a, b))
    }
}

/// Returns whether two counts are the length of the same variable, or the same variable.
fn is_same_length(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Len(a), ExprKind::Len(b)) => is_same_length(a, b),
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        _ => false,
    }
}
