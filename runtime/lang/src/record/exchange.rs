//! `core::mem::swap` and `core::mem::replace`, of values and of slices.

use super::{RecordError, Recorder};
use crate::ir::Expr;

impl Recorder {
    /// `swap(a, b)`, of two references.
    pub fn exchange(&mut self, a: Expr, b: Expr) -> Expr {
        let [a, b] = [a, b].map(|reference| self.referred(reference));
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
