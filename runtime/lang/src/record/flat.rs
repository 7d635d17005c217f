//! `flat_map` and `flatten`: a loop inside of a loop, whose items are those of one iterator.

use std::rc::Rc;

use super::Recorder;
use super::item::{Inner, Item, Opened};
use super::iter::{Iter, number};
use crate::ir::{BinaryOp, Expr, Type, UnaryOp};

impl Recorder {
    /// `.flat_map(f)`
    pub fn iter_flat_map<'a>(
        &mut self,
        iter: Iter<'a>,
        f: impl Fn(&mut Recorder, Expr, Opened<'_>) -> Expr + 'a,
    ) -> Iter<'a> {
        Iter { item: Item::Flat(Rc::new(f), iter.item.into()), ..iter }
    }

    /// `.flatten()`
    pub fn iter_flatten<'a>(&mut self, iter: Iter<'a>) -> Iter<'a> {
        self.iter_flat_map(iter, |r, item, opened| {
            let inner = r.inner_of(item);
            opened(r, inner)
        })
    }

    /// The items of a value: elements, or what an `Option` or a `Result` holds.
    pub fn inner_of(&mut self, value: Expr) -> Inner<'static> {
        match variant_with_value(value.ty.peeled()) {
            Some(variant) => Inner::Held(value, variant),
            None => Inner::Walked(self.iter_into(value)),
        }
    }

    /// The item of a step of the loop that is opened for the items of an item.
    pub(super) fn inner_item(&mut self, inner: Inner<'_>) -> Expr {
        match inner {
            Inner::Held(value, variant) => {
                let value = self.bind_parts(value);
                let some = self.is_variant(value.clone(), variant);
                let none = self.unary(UnaryOp::Not, some);
                self.when(none, |r| r.continue_(None));
                self.part(value, Some(variant), "0")
            }
            Inner::Walked(iter) => {
                let k = self.iter_steps(None, iter.extent, None);
                // No closure runs behind the last item that `take` gives.
                for (left, limited) in self.limits.clone() {
                    let done = self.binary(BinaryOp::Eq, left, number(0));
                    self.when(done, |r| r.leave(limited));
                }
                let opened = self.items_loop();
                let around = std::mem::take(&mut self.ends);
                let item = self.item(iter.item, k);
                self.ends = around;
                self.make_inner(opened);
                item
            }
        }
    }
}

/// The variant of an `Option` or a `Result` that holds an item.
pub(super) fn variant_with_value(ty: &Type) -> Option<&'static str> {
    let Type::Enum(e) = ty else { return None };
    let variants = ["Some", "Ok"].into_iter();
    variants
        .zip(["None", "Err"])
        .find(|(some, none)| e.variant(some).is_some() && e.variant(none).is_some())
        .map(|(some, _)| some)
}
