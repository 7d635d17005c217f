//! `min`, `max` and `clamp` of all that kernels order, and of references to it.

use warpsmith_macros::gpu_fn;

use super::int::int_order;
use crate::types::DeviceType;
use crate::types::operators::Ord;
use crate::witness::{FnProbe, never_called};

macro_rules! functions {
    ($($name:ident<$($life:lifetime,)? T>($($arg:ident: $ty:ty),+) -> $ret:ty $body:block)+) => {$(
        /// The function behind a method.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, reason = "its emitter is called")]
        pub fn $name<$($life,)? T: DeviceType + Ord>($($arg: $ty),+) -> $ret $body
    )+};
}

functions! {
    larger<T>(a: T, b: T) -> T { if b < a { a } else { b } }
    smaller<T>(a: T, b: T) -> T { if b < a { b } else { a } }
    clamped<T>(x: T, low: T, high: T) -> T { if x < low { low } else if high < x { high } else { x } }
    larger_of<'a, T>(a: &'a T, b: &'a T) -> &'a T { if *b < *a { a } else { b } }
    smaller_of<'a, T>(a: &'a T, b: &'a T) -> &'a T { if *b < *a { b } else { a } }
    clamped_of<'a, T>(x: &'a T, low: &'a T, high: &'a T) -> &'a T { if *x < *low { low } else if *high < *x { high } else { x } }
}

macro_rules! integers {
    ($($t:ty)+) => {$(
        impl Ord for $t {
            type Larger = int_order::max<$t>;
            type Smaller = int_order::min<$t>;
            type Clamped = int_order::clamp<$t>;
        }
    )+};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! by_comparison {
    ($([$($generics:tt)*] $t:ty;)+) => {$(
        impl<$($generics)*> Ord for $t {
            type Larger = larger<$t>;
            type Smaller = smaller<$t>;
            type Clamped = clamped<$t>;
        }
    )+};
}

by_comparison! {
    [] bool;
    [] core::cmp::Ordering;
    [T: DeviceType + Ord] Option<T>;
    [T: DeviceType + Ord, E: DeviceType + Ord] Result<T, E>;
    [T: DeviceType + Ord] [T; 1];
    [T: DeviceType + Ord] [T; 2];
    [T: DeviceType + Ord] [T; 3];
    [T: DeviceType + Ord] [T; 4];
    [A: DeviceType + Ord] (A,);
    [A: DeviceType + Ord, B: DeviceType + Ord] (A, B);
    [A: DeviceType + Ord, B: DeviceType + Ord, C: DeviceType + Ord] (A, B, C);
    [A: DeviceType + Ord, B: DeviceType + Ord, C: DeviceType + Ord, D: DeviceType + Ord] (A, B, C, D);
}

impl<T: DeviceType + Ord> Ord for &T {
    type Larger = larger_of<T>;
    type Smaller = smaller_of<T>;
    type Clamped = clamped_of<T>;
}

/// Methods of what kernels order.
pub trait OrderedMethods: Ord {
    #[doc(hidden)]
    fn max_in_kernels(self, _other: Self, _probe: &FnProbe<Self::Larger>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn min_in_kernels(self, _other: Self, _probe: &FnProbe<Self::Smaller>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn clamp_in_kernels(self, _low: Self, _high: Self, _probe: &FnProbe<Self::Clamped>) -> Self {
        never_called()
    }
}

impl<T: Ord> OrderedMethods for T {}
