//! `cmp` and `partial_cmp` of slices, which are ordered by the first elements that differ, and then by their lengths.

use core::cmp::Ordering;

use crate::types::operators::{Ord, PartialOrd};
use crate::types::{DeviceType, Slice};
use crate::witness::{FnProbe, never_called};

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn slice_cmp<T: DeviceType + Ord>(a: &[T], b: &[T]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let order = a.cmp(b);
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn slice_partial_cmp<T: DeviceType + PartialOrd>(a: &[T], b: &[T]) -> Option<Ordering> {
    for (a, b) in a.iter().zip(b) {
        let order = a.partial_cmp(b);
        if order != Some(Ordering::Equal) {
            return order;
        }
    }
    Some(a.len().cmp(&b.len()))
}

impl<T: DeviceType + PartialOrd> PartialOrd for Slice<T> {
    type Compared = slice_partial_cmp<T>;
}

/// `a.cmp(b)` of slices.
pub trait SliceOrder {
    #[doc(hidden)]
    type Element: DeviceType + Ord;
    #[doc(hidden)]
    fn cmp_in_kernels(&self, _other: &Self, _probe: &FnProbe<slice_cmp<Self::Element>>) -> Ordering {
        never_called()
    }
}

impl<T: DeviceType + Ord> SliceOrder for Slice<T> {
    type Element = T;
}
