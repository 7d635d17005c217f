//! Walks over elements: iterators become a range or a count, and an item for each step.

use super::count::is_widest;
use super::decided::Decision;
use super::item::Item;
use super::place::Moment;
use super::{RangeShape, RecordError, Recorder};
use crate::ir::{BinaryOp, ConstValue, Expr, ExprKind, Proof, Type, UnaryOp};

/// An iterator that a loop walks.
#[derive(Clone)]
pub struct Iter<'a> {
    pub(super) extent: LoopCount,
    pub(super) item: Item<'a>,
    /// Whether there may be nearly 2^64 items; nothing can be added to their number then.
    pub(super) long: bool,
}

/// The range that the loop of an iterator counts.
#[allow(clippy::large_enum_variant, reason = "one is made for a loop, and taken apart at once")]
#[derive(Clone)]
pub(super) enum LoopCount {
    /// The steps, from zero to below a `u64` that cannot change.
    Count(Expr),
    /// The steps from `start` to before `end`, or every `step`-th of them. Each is a `u64` that cannot change.
    Steps { start: Expr, end: Expr, step: Option<Expr> },
    /// All numbers from a start on, until something leaves the loop.
    Endless(Expr),
    /// The numbers of a range.
    Range { start: Expr, end: Expr, inclusive: bool, step: Option<Expr>, reversed: bool },
}

impl Recorder {
    /// `base.iter()`, `base.iter_mut()`, `&base`, `&mut base`.
    pub fn iter_elements(&mut self, base: Expr, mutable: bool) -> Iter<'static> {
        let base = self.iter_base(base);
        self.elements(base, Some(mutable))
    }

    /// `for x in base`: an array gives values, a reference to a slice and a view references.
    pub fn iter_into(&mut self, base: Expr) -> Iter<'static> {
        if let Some(([start, end], inclusive)) = self.bounds(&base) {
            return self.iter_range(start, end, inclusive);
        }
        match &base.ty {
            Type::Array(..) => {
                let base = self.bind(base);
                self.elements(base, None)
            }

            Type::Ref { mutable, .. } | Type::View { mutable, .. } => {
                let mutable = *mutable;
                self.iter_elements(base, mutable)
            }
            _ => self.iter_elements(base, false),
        }
    }

    fn elements(&mut self, base: Expr, by: Option<bool>) -> Iter<'static> {
        if base.ty.peeled().element().is_none() && base.ty != Type::Never {
            let at = self.location();
            self.fail(RecordError::Iterator { of: base.ty.to_string(), at });
        }
        let count = self.call(Some(super::Callee::Len), vec![base.clone()], Type::U64);
        let count = self.simple(count);
        Iter { extent: LoopCount::Count(count), item: Item::Element(base, by), long: false }
    }

    /// An iterator of `count` items, each computed from its number.
    pub(super) fn iter_counted(&mut self, count: Expr, item: Item<'static>) -> Iter<'static> {
        Iter { extent: LoopCount::Count(count), item, long: false }
    }

    /// `start..end` or `start..=end`.
    pub fn iter_range(&mut self, start: Expr, end: Expr, inclusive: bool) -> Iter<'static> {
        let [start, end] = [start, end].map(|bound| {
            let bound = self.value(bound);
            self.bind(bound)
        });
        let long = is_widest(&start.ty);
        Iter {
            extent: LoopCount::Range { start, end, inclusive, step: None, reversed: false },
            item: Item::Counter,
            long,
        }
    }

    /// `start..`
    pub fn iter_from(&mut self, start: Expr) -> Iter<'static> {
        let start = self.value(start);
        let start = self.bind(start);
        Iter { extent: LoopCount::Endless(start), item: Item::Counter, long: true }
    }

    /// The iterator that ends after as many items as the variable says.
    pub(super) fn iter_limited<'a>(&mut self, iter: Iter<'a>, left: Expr) -> Iter<'a> {
        Iter { item: Item::Limited(left, iter.item.into()), ..iter }
    }

    /// The iterator whose closure decides about each step.
    pub(super) fn iter_decided<'a>(&mut self, iter: Iter<'a>, decision: Decision<'a>) -> Iter<'a> {
        Iter { item: Item::Decided(decision, iter.item.into()), ..iter }
    }

    /// Opens a loop over an iterator; its item, for the pattern of the loop.
    pub fn iter_begin(
        &mut self,
        label: Option<&'static str>,
        iter: Iter<'_>,
        unroll: Option<Option<u32>>,
    ) -> Expr {
        let k = self.iter_steps(label, iter.extent, unroll);
        self.first_item(iter.item, k)
    }

    /// Opens a loop over the steps of an iterator; its counter.
    pub(super) fn iter_steps(
        &mut self,
        label: Option<&'static str>,
        extent: LoopCount,
        unroll: Option<Option<u32>>,
    ) -> Expr {
        let (bounds, shape) = match extent {
            LoopCount::Endless(start) => return self.endless(label, start, unroll),
            LoopCount::Count(count) => ([number(0), count], RangeShape { unroll, ..RangeShape::default() }),
            LoopCount::Steps { start, end, step } => {
                ([start, end], RangeShape { step, unroll, ..RangeShape::default() })
            }
            LoopCount::Range { start, end, inclusive, step, reversed } => {
                ([start, end], RangeShape { inclusive, step, reversed, unroll })
            }
        };
        let ty = bounds[0].ty.clone();
        let k = self.range_begin(label, "k", false, ty, bounds, shape);
        let k = self.local(&k);
        self.unnamed(&k);
        k
    }

    /// The item of a loop. A closure around this loop may be a part of another iterator, whose end is not that of this one.
    pub(super) fn first_item(&mut self, item: Item<'_>, k: Expr) -> Expr {
        let around = (std::mem::take(&mut self.ends), std::mem::take(&mut self.limits));
        let item = self.item(item, k);
        (self.ends, self.limits) = around;
        item
    }

    /// Lets the counter of a loop take the name of the variable that it becomes.
    fn unnamed(&mut self, k: &Expr) {
        if let ExprKind::Var(counter) = k.kind {
            self.frame().unnamed.push(counter);
        }
    }

    /// Opens a loop over all numbers from `start` on; Rust computes the next one before it gives one.
    fn endless(&mut self, label: Option<&'static str>, start: Expr, unroll: Option<Option<u32>>) -> Expr {
        let ty = start.ty.clone();
        let next = self.let_("next", true, ty.clone(), start);
        self.while_begin(label);
        self.while_cond(Expr::bool(true));
        self.unrolled(unroll);
        let now = self.local(&next);
        let k = self.let_("k", false, ty.clone(), now);
        let k = self.local(&k);
        self.unnamed(&k);
        let (next, one) = (self.local(&next), Expr::constant(ConstValue::Int(1), ty));
        let advanced = self.assign_op(BinaryOp::Add, next, one);
        self.statement(advanced);
        k
    }

    /// The number of steps of an iterator, and its item for each number below that.
    pub(super) fn counted<'a>(&mut self, iter: Iter<'a>) -> (Expr, Item<'a>) {
        let (start, end, inclusive, step, reversed) = match iter.extent {
            LoopCount::Count(count) => return (count, iter.item),
            LoopCount::Steps { start, end, step } => {
                let some = self.binary(BinaryOp::Lt, start.clone(), end.clone());
                let mut count = self.count_if(some, |r| r.binary(BinaryOp::Sub, end, start.clone()));
                let mut item = Item::Skip(start, iter.item.into());
                if let Some(n) = step {
                    count = self.steps(count, &n, iter.long);
                    item = Item::Step(n, item.into());
                }
                return (count, item);
            }
            // No loop gets as far as this count.
            LoopCount::Endless(start) => {
                let start = self.simple(start);
                return (number(u64::MAX.into()), iter.item.of(Item::Range(start)));
            }
            LoopCount::Range { start, end, inclusive, step, reversed } => {
                (start, end, inclusive, step, reversed)
            }
        };
        let (start, end) = (self.simple(start), self.simple(end));
        let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        // Of `0..=n` CUDA's compilers would warn that this always holds.
        let all = inclusive && start.as_int() == Some(0) && start.ty.scalar().is_some_and(|s| !s.is_signed());
        let some = if all { self.bool_(true) } else { self.binary(op, start.clone(), end.clone()) };
        let mut count = self.count_if(some, |r| r.distance(&start, &end, inclusive));
        // Of all numbers of the widest types the count is one too small.
        let turned = reversed && inclusive && is_widest(&end.ty);
        let mut source = if turned { Item::Down(end.clone()) } else { Item::Range(start.clone()) };
        if let Some(n) = step {
            count = self.steps(count, &n, iter.long);
            if inclusive {
                count = self.with_last(count, &[start, end], &n);
            }
            source = Item::Step(n, source.into());
        }
        if reversed && !turned {
            source = Item::Reversed(count.clone(), source.into());
        }
        (count, iter.item.of(source))
    }

    /// The steps if there are some: what is known to be none is not computed, which might overflow.
    pub(super) fn count_if(&mut self, some: Expr, count: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if some.as_bool() == Some(false) {
            return number(0);
        }
        let count = count(self);
        self.simple(select(some, count, number(0)))
    }

    pub(super) fn item(&mut self, item: Item<'_>, k: Expr) -> Expr {
        match item {
            Item::Counter => k,
            Item::Range(start) => self.offset(BinaryOp::Add, start, k),
            Item::Down(last) => self.offset(BinaryOp::Sub, last, k),
            Item::Element(base, by) => {
                let mut element = self.index(base, k);
                if let ExprKind::Index { proof, .. } = &mut element.kind {
                    // The count is at most the length.
                    *proof = Proof::Text;
                }
                match by {
                    Some(mutable) => self.ref_(mutable, element),
                    None => element,
                }
            }
            Item::Part { base, n, shape, mutable } => self.nth_part(base, n, shape, mutable, k),
            Item::Enumerate(inner) => {
                let value = self.item(*inner, k.clone());
                self.tuple(vec![k, value])
            }
            Item::Zip(left, right) => {
                let (a, b) = (self.item(*left, k.clone()), self.item(*right, k));
                self.tuple(vec![a, b])
            }
            Item::Chain(count, left, right) => {
                let is_left = self.binary(BinaryOp::Lt, k.clone(), count.clone());
                if self.if_then(is_left) {
                    let item = self.item(*left, k.clone());
                    self.if_value(item);
                }
                if self.if_else() {
                    let k = self.binary(BinaryOp::Sub, k, count);
                    let item = self.item(*right, k);
                    self.if_value(item);
                }
                self.if_end()
            }
            Item::ChainEarly(early, left, right) => self.chained(early, k, *left, *right),
            Item::Reversed(count, inner) => {
                // Of no items there is no last one, and this is never run.
                let none = count.as_int() == Some(0);
                let last = if none { count } else { self.binary(BinaryOp::Sub, count, number(1)) };
                let k = self.binary(BinaryOp::Sub, last, k);
                self.item(*inner, k)
            }
            Item::Step(n, inner) => {
                let k = self.binary(BinaryOp::Mul, k, n);
                self.item(*inner, k)
            }
            Item::Skip(n, inner) => {
                let k = self.binary(BinaryOp::Add, k, n);
                self.item(*inner, k)
            }
            Item::Copied(inner) => {
                let reference = self.item(*inner, k);
                self.value(reference)
            }
            Item::Map(f, inner) => {
                let item = self.item(*inner, k);
                let value = f(self, item);
                if value.has_effect() { self.bind(value) } else { value }
            }
            Item::Filter(f, inner) => {
                let item = self.item(*inner, k);
                let item = self.held(item);
                let keep = self.asked(&*f, &item);
                let drop = self.opposite(keep);
                self.when(drop, |r| r.continue_(None));
                item
            }
            Item::Flat(f, inner) => {
                let item = self.item(*inner, k);
                f(self, item, &mut |r, inner| r.inner_item(inner))
            }
            Item::Decided(decision, inner) => {
                let item = self.item(*inner, k);
                self.decide(decision, item)
            }
            Item::Limited(left, inner) => {
                // Before the item: no closure runs for one that is not given.
                let done = self.binary(BinaryOp::Eq, left.clone(), number(0));
                self.when(done, Recorder::end_items);
                let walked = self.items_loop();
                self.limits.push((left.clone(), walked));
                let item = self.item(*inner, k);
                self.limits.pop();
                let item = self.held(item);
                self.count_one(BinaryOp::Sub, &left);
                item
            }
            Item::Taken(next, inner) => {
                self.step_taken(&next, &k);
                self.item(*inner, k)
            }
        }
    }

    /// An item that is evaluated here, once.
    pub(super) fn held(&mut self, item: Expr) -> Expr {
        match item.kind {
            ExprKind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.held(part)).collect();
                Expr { kind: ExprKind::Tuple(parts), ty: item.ty }
            }
            kind => self.bind(Expr { kind, ty: item.ty }),
        }
    }

    /// The result of a closure for a reference to an item.
    pub(super) fn asked(&mut self, f: impl FnOnce(&mut Recorder, Expr) -> Expr, item: &Expr) -> Expr {
        let reference = self.item_ref(item);
        f(self, reference)
    }

    /// The result of a closure for references to two items.
    pub(super) fn asked_of_two(
        &mut self,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
        a: &Expr,
        b: &Expr,
    ) -> Expr {
        let (a, b) = (self.item_ref(a), self.item_ref(b));
        f(self, a, b)
    }

    /// A reference to an item. A reference, and a tuple of parts, stand for references to them: reads look through them alike.
    fn item_ref(&mut self, item: &Expr) -> Expr {
        match &item.kind {
            ExprKind::Tuple(_) => item.clone(),
            _ if matches!(item.ty, Type::Ref { .. }) => item.clone(),
            _ => self.ref_(false, item.clone()),
        }
    }

    /// `!cond`, where a comparison of integers has an opposite.
    pub(super) fn opposite(&mut self, cond: Expr) -> Expr {
        match cond.kind {
            ExprKind::Binary(op, a, b) if a.ty.scalar().is_some_and(|s| s.is_int()) => match opposite(op) {
                Some(op) => Expr { kind: ExprKind::Binary(op, a, b), ty: cond.ty },
                None => {
                    let cond = Expr { kind: ExprKind::Binary(op, a, b), ty: cond.ty };
                    self.unary(UnaryOp::Not, cond)
                }
            },
            kind => self.unary(UnaryOp::Not, Expr { kind, ty: cond.ty }),
        }
    }

    /// `if cond { … }`
    pub(super) fn when(&mut self, cond: Expr, then: impl FnOnce(&mut Recorder) -> Expr) {
        if self.if_then(cond) {
            let value = then(self);
            self.if_value(value);
        }
        self.if_else();
        let done = self.if_end();
        self.statement(done);
    }

    /// The iterated value, as a place whose address cannot change. For slices and views, that is the current place of their
    /// elements.
    fn iter_base(&mut self, base: Expr) -> Expr {
        match &base.kind {
            ExprKind::SubSlice { .. } => self.bind_always(base),
            _ => self.pin_base(base, &mut Moment::Now),
        }
    }
}

pub(super) fn number(n: i128) -> Expr {
    Expr::constant(ConstValue::Int(n), Type::U64)
}

/// `if cond { a } else { b }`, folded.
pub(super) fn select(cond: Expr, a: Expr, b: Expr) -> Expr {
    match cond.as_bool() {
        Some(true) => a,
        Some(false) => b,
        None => {
            let ty = a.ty.clone();
            Expr { kind: ExprKind::Select(cond.into(), a.into(), b.into()), ty }
        }
    }
}

/// The comparison of integers that holds where another does not.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        _ => return None,
    })
}
