//! Iterators in variables, which are walked later, or advanced step by step.

use super::item::Item;
use super::iter::{Iter, LoopCount, number, select};
use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, StmtKind, Type, VarKind};

/// An iterator in a variable.
pub struct Kept<'a> {
    iter: Iter<'a>,
    /// The variable of the number of the next step, unless the iterator cannot be advanced.
    next: Option<Expr>,
}

impl Recorder {
    /// `let name = iterator;`
    pub fn iter_kept<'a>(&mut self, name: &str, mutable: bool, iter: Iter<'a>) -> Kept<'a> {
        if !mutable {
            return Kept { iter, next: None };
        }
        if iter.item.is_nested() {
            self.refuse_kept("next");
        }
        let long = iter.long;
        let (count, item) = self.counted(iter);
        let count = self.simple(count);
        let next = self.let_(name, true, Type::U64, number(0));
        let next = self.local(&next);
        Kept { iter: Iter { extent: LoopCount::Count(count), item, long }, next: Some(next) }
    }

    /// The items that are left, as the iterator itself: nothing asks it for more afterwards.
    pub fn iter_left<'a>(&mut self, kept: &Kept<'a>) -> Iter<'a> {
        let iter = kept.iter.clone();
        let (Some(next), LoopCount::Count(end)) = (&kept.next, &iter.extent) else { return iter };
        let (start, end) = (self.bind_always(next.clone()), end.clone());
        Iter { extent: LoopCount::Steps { start, end, step: None }, ..iter }
    }

    /// The items that are left, of a copy of the iterator.
    pub fn iter_cloned<'a>(&mut self, kept: &Kept<'a>) -> Iter<'a> {
        if kept.iter.item.is_ordered() {
            self.refuse_kept("clone");
        }
        self.iter_left(kept)
    }

    /// The items that are left: the iterator advances with each.
    pub fn iter_taken<'a>(&mut self, kept: &Kept<'a>) -> Iter<'a> {
        let iter = self.iter_left(kept);
        match &kept.next {
            Some(next) => Iter { item: Item::Taken(next.clone(), iter.item.into()), ..iter },
            None => iter,
        }
    }

    /// `.next()`
    pub fn kept_next(&mut self, kept: &Kept<'_>, ty: Type) -> Expr {
        if kept.iter.item.leaves_out() || kept.iter.item.ends_early() {
            let iter = self.iter_taken(kept);
            return self.iter_next(iter, ty);
        }
        let found = self.nothing_yet(&ty);
        self.when_left(kept, |r, next, k| {
            r.step_taken(next, &k);
            let item = r.first_item(kept.iter.item.clone(), k);
            r.found(&found, item)
        });
        self.accumulated(found)
    }

    /// `.nth(n)`
    pub fn kept_nth(&mut self, kept: &Kept<'_>, ty: Type, n: Expr) -> Expr {
        if kept.iter.item.runs_closures() || kept.iter.item.ends_early() {
            let iter = self.iter_taken(kept);
            return self.iter_nth(iter, n, ty);
        }
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        if let Some(next) = kept.next.clone() {
            let left = self.kept_len(kept);
            let left = self.simple(left);
            let some = self.binary(BinaryOp::Lt, n.clone(), left.clone());
            let after = self.binary(BinaryOp::Add, next.clone(), select(some, n, left));
            let moved = self.assign(next, after);
            self.statement(moved);
        }
        self.kept_next(kept, ty)
    }

    /// `.peek()` of an iterator that is `peekable`
    pub fn kept_peek(&mut self, kept: &Kept<'_>, ty: Type) -> Expr {
        self.looked_at(kept, "peek");
        let mark = self.mark();
        let found = self.nothing_yet(&ty);
        let mut shown = None;
        self.when_left(kept, |r, _, k| {
            let item = r.first_item(kept.iter.item.clone(), k);
            // A slice is its own reference.
            if item.ty == Type::Never || Type::reference(item.ty.clone(), false) == item.ty {
                return r.found(&found, item);
            }
            // What the reference refers to is there as long as the result.
            let item = if matches!(item.ty, Type::Ref { .. }) { item } else { r.value(item) };
            let var = r.frame().new_var("", item.ty.clone(), true, VarKind::Local);
            shown = Some(var);
            let place = Expr { kind: ExprKind::Var(var), ty: item.ty.clone() };
            let kept = r.assign(place.clone(), item);
            r.statement(kept);
            let reference = r.ref_(false, place);
            r.found(&found, reference)
        });
        if let Some(var) = shown {
            self.push_at(mark, StmtKind::Let { var, init: None });
        }
        self.accumulated(found)
    }

    /// `.next_if(f)` of an iterator that is `peekable`
    pub fn kept_next_if(
        &mut self,
        kept: &Kept<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        self.looked_at(kept, "next_if");
        let found = self.nothing_yet(&ty);
        self.when_left(kept, |r, next, k| {
            let item = r.first_item(kept.iter.item.clone(), k.clone());
            let item = r.held(item);
            let wanted = r.asked(f, &item);
            r.when(wanted, |r| {
                r.step_taken(next, &k);
                r.found(&found, item)
            });
            Expr::unit()
        });
        self.accumulated(found)
    }

    /// `.len()`
    pub fn kept_len(&mut self, kept: &Kept<'_>) -> Expr {
        let (count, _) = self.counted(kept.iter.clone());
        match &kept.next {
            Some(next) => self.binary(BinaryOp::Sub, count, next.clone()),
            None => count,
        }
    }

    /// `then` with the variable of the next step and its number, if there is one.
    fn when_left(&mut self, kept: &Kept<'_>, then: impl FnOnce(&mut Recorder, &Expr, Expr) -> Expr) {
        let (Some(next), LoopCount::Count(count)) = (&kept.next, &kept.iter.extent) else { return };
        let some = self.binary(BinaryOp::Lt, next.clone(), count.clone());
        self.when(some, |r| {
            let k = r.bind_always(next.clone());
            then(r, next, k)
        });
    }

    /// The next step is the one behind step `k`.
    pub(super) fn step_taken(&mut self, next: &Expr, k: &Expr) {
        let after = self.binary(BinaryOp::Add, k.clone(), number(1));
        let moved = self.assign(next.clone(), after);
        self.statement(moved);
    }

    /// Refuses to look at an item that a closure has to make first: it would run again when the item is taken.
    fn looked_at(&mut self, kept: &Kept<'_>, method: &'static str) {
        let item = &kept.iter.item;
        if item.runs_closures() || item.is_ordered() {
            self.refuse_kept(method);
        }
    }

    fn refuse_kept(&mut self, method: &'static str) {
        let at = self.location();
        self.fail(RecordError::Kept { method, at });
    }
}
