//! The item of each step of an iterator, and what adapters behind it have to know.

use std::rc::Rc;

use super::Recorder;
use super::decided::Decision;
use super::ends::Early;
use super::iter::Iter;
use super::part_shape::PartShape;
use crate::ir::Expr;

/// Records the body of an iterator's closure for its argument, and returns its value.
pub(super) type Inlined<'a> = Rc<dyn Fn(&mut Recorder, Expr) -> Expr + 'a>;

/// What the closure of `flat_map` gives for an item.
#[allow(clippy::large_enum_variant, reason = "one is made for a loop, and taken apart at once")]
pub enum Inner<'a> {
    /// An iterator.
    Walked(Iter<'a>),
    /// A value that may hold one item, and the variant that does.
    Held(Expr, &'static str),
}

/// Opens the loop over what a closure gives; its item.
pub type Opened<'o> = &'o mut dyn FnMut(&mut Recorder, Inner<'_>) -> Expr;

/// Records the body of the closure of `flat_map` for its argument, and hands what that gives to the last parameter.
pub(super) type InlinedInner<'a> = Rc<dyn Fn(&mut Recorder, Expr, Opened<'_>) -> Expr + 'a>;

/// The item of an iterator for the counter of its loop, `k`.
#[derive(Clone)]
pub(super) enum Item<'a> {
    /// The counter.
    Counter,
    /// `start + k`
    Range(Expr),
    /// `last - k`
    Down(Expr),
    /// Element `k`: by value, or a reference, mutable or not.
    Element(Expr, Option<bool>),
    /// Part `k` of a slice: a fixed number of elements, or those that are left.
    Part { base: Expr, n: Expr, shape: PartShape, mutable: bool },
    /// `(k, inner)`
    Enumerate(Box<Item<'a>>),
    /// `(left, right)`
    Zip(Box<Item<'a>>, Box<Item<'a>>),
    /// The left items, which are this many, and then the right ones.
    Chain(Expr, Box<Item<'a>>, Box<Item<'a>>),
    /// The same, where the left items may end before all of them are given.
    ChainEarly(Early, Box<Item<'a>>, Box<Item<'a>>),
    /// From the last to the first of this number of items.
    Reversed(Expr, Box<Item<'a>>),
    /// Every n-th item.
    Step(Expr, Box<Item<'a>>),
    /// The items after the first n.
    Skip(Expr, Box<Item<'a>>),
    /// The value behind a reference.
    Copied(Box<Item<'a>>),
    /// The result of a closure for the item.
    Map(Inlined<'a>, Box<Item<'a>>),
    /// The item, if a closure takes the step at all.
    Filter(Inlined<'a>, Box<Item<'a>>),
    /// Each item of what a closure makes of the item.
    Flat(InlinedInner<'a>, Box<Item<'a>>),
    /// The item, or what a closure makes of it, where that decides about the step.
    Decided(Decision<'a>, Box<Item<'a>>),
    /// The item, until as many items as the variable says have been taken.
    Limited(Expr, Box<Item<'a>>),
    /// The item, which the iterator in the variable does not give again: the number of its next step is in the variable.
    Taken(Expr, Box<Item<'a>>),
}

impl<'a> Item<'a> {
    /// The item with `source` for its counter.
    pub(super) fn of(self, source: Item<'a>) -> Item<'a> {
        match self {
            Item::Counter => source,
            Item::Copied(inner) => Item::Copied(inner.of(source).into()),
            Item::Map(f, inner) => Item::Map(f, inner.of(source).into()),
            Item::Filter(f, inner) => Item::Filter(f, inner.of(source).into()),
            Item::Flat(f, inner) => Item::Flat(f, inner.of(source).into()),
            Item::Decided(decision, inner) => Item::Decided(decision, inner.of(source).into()),
            Item::Limited(left, inner) => Item::Limited(left, inner.of(source).into()),
            Item::Taken(next, inner) => Item::Taken(next, inner.of(source).into()),
            counted => counted,
        }
    }
}

impl Item<'_> {
    /// The items that this one is made of.
    fn parts(&self) -> Vec<&Self> {
        match self {
            Item::Enumerate(inner) | Item::Copied(inner) | Item::Reversed(_, inner) => vec![inner],
            Item::Step(_, inner) | Item::Skip(_, inner) => vec![inner],
            Item::Limited(_, inner) | Item::Taken(_, inner) => vec![inner],
            Item::Map(_, inner) | Item::Filter(_, inner) | Item::Decided(_, inner) => vec![inner],
            Item::Flat(_, inner) => vec![inner],
            Item::Zip(left, right) | Item::Chain(_, left, right) | Item::ChainEarly(_, left, right) => {
                vec![left, right]
            }
            Item::Counter | Item::Range(_) | Item::Down(_) | Item::Element(..) | Item::Part { .. } => vec![],
        }
    }

    /// Returns whether a step need not give an item: what counts items cannot count steps.
    pub(super) fn leaves_out(&self) -> bool {
        let own = match self {
            Item::Filter(..) | Item::Flat(..) | Item::ChainEarly(..) => true,
            Item::Decided(decision, _) => {
                matches!(decision, Decision::FilterMap(_) | Decision::SkipWhile(..) | Decision::Drop(_))
            }
            _ => false,
        };
        own || self.parts().into_iter().any(Self::leaves_out)
    }

    /// Returns whether a step runs a closure, which also runs for what is skipped.
    pub(super) fn runs_closures(&self) -> bool {
        let own = matches!(self, Item::Map(..) | Item::Filter(..) | Item::Flat(..) | Item::Decided(..));
        own || self.parts().into_iter().any(Self::runs_closures)
    }

    /// Returns whether what a step gives depends on how many steps came before it: they cannot run in reverse.
    pub(super) fn is_ordered(&self) -> bool {
        let own = match self {
            Item::Limited(..) | Item::Taken(..) | Item::Flat(..) => true,
            Item::Decided(decision, _) => !matches!(decision, Decision::FilterMap(_) | Decision::Inspect(_)),
            _ => false,
        };
        own || self.parts().into_iter().any(Self::is_ordered)
    }

    /// Returns whether a step opens a loop.
    pub(super) fn is_nested(&self) -> bool {
        matches!(self, Item::Flat(..)) || self.parts().into_iter().any(Self::is_nested)
    }

    /// Returns whether the steps may end before all of them are done.
    pub(super) fn ends_early(&self) -> bool {
        let own = match self {
            Item::Limited(..) | Item::ChainEarly(..) => true,
            Item::Decided(decision, _) => matches!(decision, Decision::TakeWhile(_) | Decision::MapWhile(_)),
            _ => false,
        };
        own || self.parts().into_iter().any(Self::ends_early)
    }

    /// Returns whether an iterator in a variable advances by the steps. Adapters that count them would have to advance it further.
    pub(super) fn advances(&self) -> bool {
        matches!(self, Item::Taken(..)) || self.parts().into_iter().any(Self::advances)
    }
}
