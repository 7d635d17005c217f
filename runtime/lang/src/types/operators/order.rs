//! What kernels order as Rust does: by numbers, by the tags of enums, and by the first parts that differ.

use core::marker::PhantomData;

use crate::ir::{EnumType, Type};
use crate::witness::DeviceFn;

/// Rust's `Ord` in kernels.
#[diagnostic::on_unimplemented(
    message = "`min`, `max`, `clamp` and `cmp` are not known of `{Self}` in a kernel",
    label = "not of a `{Self}`",
    note = "they are known of numbers, of enums without fields, tuples and arrays that have `Ord`, and of types with `#[gpu(PartialEq, Eq, PartialOrd, Ord)]`, which stands instead of deriving these; compare others by `<` of their parts, and choose by `if`"
)]
pub trait Ord: core::cmp::Ord + Copy {
    /// `a.max(b)`
    #[doc(hidden)]
    type Larger: DeviceFn;
    /// `a.min(b)`
    #[doc(hidden)]
    type Smaller: DeviceFn;
    /// `a.clamp(low, high)`
    #[doc(hidden)]
    type Clamped: DeviceFn;
}

/// Rust's `PartialOrd` in kernels.
#[diagnostic::on_unimplemented(
    message = "`partial_cmp` is not known of `{Self}` in a kernel",
    label = "not of a `{Self}`",
    note = "it is known of numbers, of enums without fields, tuples and arrays that have `PartialOrd`, and of types with `#[gpu(PartialEq, PartialOrd)]`, which stands instead of deriving these"
)]
pub trait PartialOrd: core::cmp::PartialOrd {
    /// `a.partial_cmp(&b)`
    #[doc(hidden)]
    type Compared: DeviceFn;
}

/// An enum without fields, whose own order may be another than that of its tags.
#[doc(hidden)]
pub struct Order<T>(pub PhantomData<T>);

/// An enum that Rust orders.
#[doc(hidden)]
pub trait Ordered<T> {
    /// Whether the order of these values, all that there are, is that of their tags.
    fn is_by_tags(&self, all: &[(T, i128)]) -> bool;
}

/// An enum that Rust does not order: rustc refuses a comparison.
#[doc(hidden)]
pub trait Unordered<T> {
    /// Nothing compares the values.
    fn is_by_tags(&self, all: &[(T, i128)]) -> bool;
}

impl<T: core::cmp::PartialOrd> Ordered<T> for Order<T> {
    fn is_by_tags(&self, all: &[(T, i128)]) -> bool {
        let alike = |(a, of_a): &(T, i128), (b, of_b): &(T, i128)| a.partial_cmp(b) == Some(of_a.cmp(of_b));
        all.iter().all(|a| all.iter().all(|b| alike(a, b)))
    }
}

impl<T> Unordered<T> for &Order<T> {
    fn is_by_tags(&self, _: &[(T, i128)]) -> bool {
        true
    }
}

/// The type of an enum, which knows whether it is ordered by its tags.
#[doc(hidden)]
pub fn ordered(ty: Type, by_tags: bool) -> Type {
    match ty {
        Type::Enum(def) if !by_tags => Type::Enum(EnumType { by_tags, ..EnumType::clone(&def) }.into()),
        other => other,
    }
}
