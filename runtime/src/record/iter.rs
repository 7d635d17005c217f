//! `for` over elements: iterators become a count and an item for each number below it.

use super::{RangeShape, Recorder};
use crate::ir::{BinaryOp, Const, ConstValue, Expr, ExprKind, Proof, Type};

/// An iterator that a `for` loop walks.
pub struct Iter {
    /// How many items, a `u64` that cannot change.
    count: Expr,
    item: Item,
}

/// What an iterator gives for a number below its count.
enum Item {
    /// `start + k`
    Range(Expr),
    /// Element `k`: by value, or a reference, mutable or not.
    Element(Expr, Option<bool>),
    /// `(k, inner)`
    Enumerate(Box<Item>),
    /// `(left, right)`
    Zip(Box<Item>, Box<Item>),
    /// From the last of so many to the first.
    Reversed(Expr, Box<Item>),
    /// Every so manieth.
    Step(Expr, Box<Item>),
    /// After so many.
    Skip(Expr, Box<Item>),
    /// The value behind a reference.
    Copied(Box<Item>),
}

impl Recorder {
    /// `base.iter()`, `base.iter_mut()`, `&base`, `&mut base`.
    pub fn iter_elements(&mut self, base: Expr, mutable: bool) -> Iter {
        let base = self.iter_base(base);
        let count = self.call(Some(super::Callee::Len), vec![base.clone()], Type::U64);
        Iter { count: self.count_of(count), item: Item::Element(base, Some(mutable)) }
    }

    /// `for x in base`: an array gives values, a reference to a slice references.
    pub fn iter_into(&mut self, base: Expr) -> Iter {
        match &base.ty {
            Type::Array(..) => {
                let base = self.bind(base);
                let count = self.call(Some(super::Callee::Len), vec![base.clone()], Type::U64);
                Iter { count, item: Item::Element(base, None) }
            }
            Type::Ref { mutable, .. } => {
                let mutable = *mutable;
                self.iter_elements(base, mutable)
            }
            _ => self.iter_elements(base, false),
        }
    }

    /// `start..end` or `start..=end`.
    pub fn iter_range(&mut self, start: Expr, end: Expr, inclusive: bool) -> Iter {
        let (start, end) = (self.simple(start), self.simple(end));
        let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let some = self.binary(op, start.clone(), end.clone());
        let (first, last) = (self.cast(start.clone(), Type::U64), self.cast(end, Type::U64));
        let length = self.binary(BinaryOp::Sub, last, first);
        let length = if inclusive { self.binary(BinaryOp::Add, length, number(1)) } else { length };
        let count = select(some, length, number(0));
        Iter { count: self.count_of(count), item: Item::Range(start) }
    }

    /// `.enumerate()`
    pub fn iter_enumerate(&mut self, iter: Iter) -> Iter {
        Iter { item: Item::Enumerate(iter.item.into()), ..iter }
    }

    /// `.zip(other)`
    pub fn iter_zip(&mut self, left: Iter, right: Iter) -> Iter {
        let count = self.smaller(left.count, right.count);
        Iter { count, item: Item::Zip(left.item.into(), right.item.into()) }
    }

    /// `.rev()`
    pub fn iter_rev(&mut self, iter: Iter) -> Iter {
        Iter { item: Item::Reversed(iter.count.clone(), iter.item.into()), ..iter }
    }

    /// `.step_by(n)`
    pub fn iter_step_by(&mut self, iter: Iter, n: Expr) -> Iter {
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        if n.as_int() == Some(0) {
            let at = self.location();
            self.fail(super::RecordError::ZeroStep { at });
        }
        let more = self.binary(BinaryOp::Sub, n.clone(), number(1));
        let padded = self.binary(BinaryOp::Add, iter.count, more);
        let count = self.binary(BinaryOp::Div, padded, n.clone());
        Iter { count: self.count_of(count), item: Item::Step(n, iter.item.into()) }
    }

    /// `.skip(n)`
    pub fn iter_skip(&mut self, iter: Iter, n: Expr) -> Iter {
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        let some = self.binary(BinaryOp::Lt, n.clone(), iter.count.clone());
        let rest = self.binary(BinaryOp::Sub, iter.count, n.clone());
        let count = select(some, rest, number(0));
        Iter { count: self.count_of(count), item: Item::Skip(n, iter.item.into()) }
    }

    /// `.take(n)`
    pub fn iter_take(&mut self, iter: Iter, n: Expr) -> Iter {
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        Iter { count: self.smaller(iter.count, n), item: iter.item }
    }

    /// `.copied()`, `.cloned()`
    pub fn iter_copied(&mut self, iter: Iter) -> Iter {
        Iter { item: Item::Copied(iter.item.into()), ..iter }
    }

    /// Opens a loop over an iterator; its item, for the pattern of the loop.
    pub fn iter_begin(
        &mut self,
        label: Option<&'static str>,
        iter: Iter,
        unroll: Option<Option<u32>>,
    ) -> Expr {
        let shape = RangeShape { unroll, ..RangeShape::default() };
        let k = self.for_begin(label, "k", false, Type::U64, [number(0), iter.count], shape);
        let k = self.local(&k);
        self.item(&iter.item, k)
    }

    fn item(&mut self, item: &Item, k: Expr) -> Expr {
        match item {
            Item::Range(start) => {
                let offset = self.cast(k, start.ty.clone());
                if start.as_int() == Some(0) {
                    offset
                } else {
                    self.binary(BinaryOp::Add, start.clone(), offset)
                }
            }
            Item::Element(base, by) => {
                let mut element = self.index(base.clone(), k);
                if let ExprKind::Index { proof, .. } = &mut element.kind {
                    // The count is at most the length.
                    *proof = Proof::Text;
                }
                match by {
                    Some(mutable) => self.ref_(*mutable, element),
                    None => element,
                }
            }
            Item::Enumerate(inner) => {
                let value = self.item(inner, k.clone());
                self.tuple(vec![k, value])
            }
            Item::Zip(left, right) => {
                let (a, b) = (self.item(left, k.clone()), self.item(right, k));
                self.tuple(vec![a, b])
            }
            Item::Reversed(count, inner) => {
                let last = self.binary(BinaryOp::Sub, count.clone(), number(1));
                let k = self.binary(BinaryOp::Sub, last, k);
                self.item(inner, k)
            }
            Item::Step(n, inner) => {
                let k = self.binary(BinaryOp::Mul, k, n.clone());
                self.item(inner, k)
            }
            Item::Skip(n, inner) => {
                let k = self.binary(BinaryOp::Add, k, n.clone());
                self.item(inner, k)
            }
            Item::Copied(inner) => {
                let reference = self.item(inner, k);
                self.value(reference)
            }
        }
    }

    /// What is iterated, as a place whose address cannot change.
    fn iter_base(&mut self, base: Expr) -> Expr {
        match &base.kind {
            ExprKind::SubSlice { .. } => self.bind_always(base),
            _ => match &base.ty {
                Type::View { .. } => self.bind(base),
                _ => base,
            },
        }
    }

    fn smaller(&mut self, a: Expr, b: Expr) -> Expr {
        let less = self.binary(BinaryOp::Lt, a.clone(), b.clone());
        if let Some(known) = less.as_bool() {
            return if known { a } else { b };
        }
        let count = select(less, a, b);
        self.count_of(count)
    }

    fn count_of(&mut self, count: Expr) -> Expr {
        self.simple(count)
    }
}

fn number(n: i128) -> Expr {
    Expr { kind: ExprKind::Const(Const { value: ConstValue::Int(n), name: None }), ty: Type::U64 }
}

/// `if cond { a } else { b }`, folded.
fn select(cond: Expr, a: Expr, b: Expr) -> Expr {
    match cond.as_bool() {
        Some(true) => a,
        Some(false) => b,
        None => {
            let ty = a.ty.clone();
            Expr { kind: ExprKind::Select(cond.into(), a.into(), b.into()), ty }
        }
    }
}
