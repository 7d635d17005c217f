//! `core::mem::swap` and `core::mem::replace`, of values and of slices.

use super::{RecordError, Recorder};
use crate::ir::Expr;

impl Recorder {
    /// `swap(a, b)`, of two references.
    pub fn exchange(&mut self, a: Expr, b: Expr) -> Expr {
        let [a, b] = [a, b].map(|reference| self.referred(reference));
        self.exchange_places(a, b)
    }

    /// `x.swap(i, j)`, of whatever has elements side by side.
    pub fn exchange_elements(&mut self, x: Expr, i: Expr, j: Expr) -> Expr {
        let x = if x.has_effect() { self.sub_slice(true, x, None, None, false) } else { x };
        let x = if x.has_effect() { self.bind(x) } else { x };
        let [i, j] = [i, j].map(|at| self.bind(at));
        let [a, b] = [i, j].map(|at| {
            let element = self.index(x.clone(), at);
            self.pin(element)
        });
        self.exchange_places(a, b)
    }

    fn exchange_places(&mut self, a: Expr, b: Expr) -> Expr {
        let kept = self.bind_always(a.clone());
        self.assign(a, b.clone());
        self.assign(b, kept)
    }

    /// `replace(reference, value)`; what was there.
    pub fn replace(&mut self, reference: Expr, value: Expr) -> Expr {
        let place = self.referred(reference);
        let value = self.coerce(value, &place.ty.clone());
        let kept = self.bind_always(place.clone());
        self.assign(place, value);
        kept
    }

    /// The place that a reference refers to; it means the same after another place was written.
    fn referred(&mut self, reference: Expr) -> Expr {
        let place = self.deref(reference);
        self.pin(place)
    }

    /// Refuses a call of a function that only has the name of one with a device side.
    pub fn same_function(&mut self, callee: Option<super::Callee>) {
        if let Some(super::Callee::Recorded(refuse)) = callee {
            refuse(self, Vec::new(), crate::ir::Type::Unit);
        }
    }

    /// A function of the user's own where one of Rust's library was meant.
    pub fn no_device_function(&mut self, function: &'static str) {
        let at = self.location();
        self.fail(RecordError::NoDeviceFunction { function, at });
    }
}
