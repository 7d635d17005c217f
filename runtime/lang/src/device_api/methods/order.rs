//! Methods that order numbers, `cmp` and its like, and those of `core::cmp::Ordering`, written in the kernel language.

use core::cmp::Ordering;

use warpsmith_macros::gpu_fn;

use crate::device_api::number::Num;
use crate::types::DeviceType;
use crate::types::operators::{Ord, PartialOrd};
use crate::witness::{DeviceFn, FnProbe, never_called};

/// The function behind a method.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, clippy::comparison_chain, reason = "its emitter is called; it defines the method")]
pub fn cmp<T: DeviceType + Ord>(a: &T, b: &T) -> Ordering {
    if *a < *b {
        Ordering::Less
    } else if *b < *a {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// The function behind a method.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn partial_order<T: DeviceType + PartialOrd>(a: &T, b: &T) -> Option<Ordering> {
    if *a < *b {
        Some(Ordering::Less)
    } else if *a <= *b {
        Some(Ordering::Equal)
    } else if *a > *b {
        Some(Ordering::Greater)
    } else {
        None
    }
}

/// The function behind a method.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn partial_cmp<T: Num>(a: &T, b: &T) -> Option<Ordering> {
    if *a < *b {
        Some(Ordering::Less)
    } else if *a == *b {
        Some(Ordering::Equal)
    } else if *a > *b {
        Some(Ordering::Greater)
    } else {
        None
    }
}

macro_rules! total {
    ($($name:ident $float:ty, $int:ty;)+) => {$(
        /// The function behind a method: IEEE 754's total order, that of the bits as an integer whose negative numbers are turned.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, reason = "its emitter is called")]
        pub fn $name(a: &$float, b: &$float) -> Ordering {
            let (a, b) = (a.to_bits() as $int, b.to_bits() as $int);
            let a = if a < 0 { a ^ <$int>::MAX } else { a };
            let b = if b < 0 { b ^ <$int>::MAX } else { b };
            cmp(&a, &b)
        }

        impl TotalMethods for $float {
            type Marker = $name;
        }
    )+};
}

macro_rules! orderings {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $body:block)+) => {$(
        /// The function behind a method.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, clippy::all, reason = "its emitter is called; it defines the method")]
        pub fn $name($($arg: $ty),*) -> $ret $body
    )+};
}

orderings! {
    is_lt(order: Ordering) -> bool { matches!(order, Ordering::Less) }
    is_le(order: Ordering) -> bool { !matches!(order, Ordering::Greater) }
    is_gt(order: Ordering) -> bool { matches!(order, Ordering::Greater) }
    is_ge(order: Ordering) -> bool { !matches!(order, Ordering::Less) }
    is_eq(order: Ordering) -> bool { matches!(order, Ordering::Equal) }
    is_ne(order: Ordering) -> bool { !matches!(order, Ordering::Equal) }
    reverse(order: Ordering) -> Ordering {
        match order { Ordering::Less => Ordering::Greater, Ordering::Equal => order, Ordering::Greater => Ordering::Less }
    }
    then(order: Ordering, other: Ordering) -> Ordering {
        match order { Ordering::Equal => other, _ => order }
    }
    then_with(order: Ordering, f: impl FnOnce() -> Ordering) -> Ordering {
        match order { Ordering::Equal => f(), _ => order }
    }
}

/// Methods that order values.
pub trait CmpMethods: DeviceType + Ord {
    #[doc(hidden)]
    fn cmp_in_kernels(&self, _other: &Self, _probe: &FnProbe<cmp<Self>>) -> Ordering {
        never_called()
    }
}

impl<T: DeviceType + Ord> CmpMethods for T {}

/// Methods that order values of which some are not comparable.
pub trait PartialCmpMethods: PartialOrd {
    #[doc(hidden)]
    fn partial_cmp_in_kernels_(&self, _other: &Self, _probe: &FnProbe<Self::Compared>) -> Option<Ordering> {
        never_called()
    }
}

impl<T: PartialOrd> PartialCmpMethods for T {}

impl<T: Num> PartialOrd for T {
    type Compared = partial_cmp<T>;
}

macro_rules! by_parts {
    ($([$($t:ident),*] $ty:ty;)+) => {$(
        impl<$($t: DeviceType + PartialOrd),*> PartialOrd for $ty {
            type Compared = partial_order<$ty>;
        }
    )+};
}

by_parts! {
    [] bool;
    [] Ordering;
    [T] [T; 1];
    [T] [T; 2];
    [T] [T; 3];
    [T] [T; 4];
    [A] (A,);
    [A, B] (A, B);
    [A, B, C] (A, B, C);
    [A, B, C, D] (A, B, C, D);
    [T] Option<T>;
    [T, E] Result<T, E>;
}

/// Methods that order all floats.
pub trait TotalMethods: Sized {
    #[doc(hidden)]
    type Marker: DeviceFn;
    #[doc(hidden)]
    fn total_cmp_in_kernels(&self, _other: &Self, _probe: &FnProbe<Self::Marker>) -> Ordering {
        never_called()
    }
}

total! {
    total_cmp32 f32, i32;
    total_cmp64 f64, i64;
    total_cmp_f16 crate::half::f16, i16;
    total_cmp_bf16 crate::half::bf16, i16;
}

macro_rules! methods {
    ($($method:ident($($ty:ty),*) -> $ret:ty = $marker:ty;)+) => {$(
        #[doc(hidden)]
        fn $method(self $(, _: $ty)*, _probe: &FnProbe<$marker>) -> $ret {
            never_called()
        }
    )+};
}

/// Methods of `core::cmp::Ordering` in kernels.
#[allow(missing_docs)]
pub trait OrderingMethods: Sized {
    methods! {
        is_lt_in_kernels() -> bool = is_lt;
        is_le_in_kernels() -> bool = is_le;
        is_gt_in_kernels() -> bool = is_gt;
        is_ge_in_kernels() -> bool = is_ge;
        is_eq_in_kernels() -> bool = is_eq;
        is_ne_in_kernels() -> bool = is_ne;
        reverse_in_kernels() -> Ordering = reverse;
        then_in_kernels(Ordering) -> Ordering = then;
    }
    #[doc(hidden)]
    fn then_with_in_kernels<F: FnOnce() -> Ordering>(self, _: F, _probe: &FnProbe<then_with>) -> Ordering {
        never_called()
    }
}

impl OrderingMethods for Ordering {}
