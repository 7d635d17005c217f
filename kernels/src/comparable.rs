//! Types whose values are compared, on the host and in kernels.

use warpsmith::prelude::*;
use warpsmith::types::operators;

/// A type with `==` on the host and in kernels: numbers, `bool`, and structs and enums with `#[gpu(PartialEq)]`.
pub trait Comparable: GpuType + PartialEq + operators::PartialEq + 'static {}

impl<T: GpuType + PartialEq + operators::PartialEq + 'static> Comparable for T {}
