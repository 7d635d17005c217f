//! The IR of kernels as the language records it: what is refused, what is proven, how values and boxes lie in memory, and what is printed.

mod boxes;
mod conditions;
#[allow(clippy::len_zero, reason = "such guards are what the tests are of")]
mod elision;
mod explain;
mod helpers;
mod host_limit;
mod layout;
mod meanings;
mod narrow;
#[allow(clippy::len_zero, reason = "such guards are what the tests are of")]
mod proofs;
#[allow(clippy::manual_is_multiple_of, reason = "people write such guards")]
mod relations;
mod validation;
#[allow(clippy::manual_div_ceil, reason = "half of what is no power of two")]
mod walks;
