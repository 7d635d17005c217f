//! What kernels order as Rust does: by numbers, by the tags of enums, and by the first parts that differ.

use crate::witness::DeviceFn;

/// Rust's `Ord` in kernels.
#[diagnostic::on_unimplemented(
    message = "`min`, `max`, `clamp` and `cmp` are not known of `{Self}` in a kernel",
    label = "not of a `{Self}`",
    note = "they are known of numbers, and of enums without fields, tuples and arrays that have `Ord`; compare others by `<` of their parts, and choose by `if`"
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
