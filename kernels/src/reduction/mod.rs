//! Reductions of all elements, or of one axis of an array.
//!
//! A [`Reduction`] defines the operation. [`reduce`] reduces a whole slice, [`Call::axis`](crate::Call::axis) chooses an axis, and
//! [`reduce_rows`] reduces the rows of a matrix. The order in which elements are combined depends only on the shape, the alignment of
//! the memory and the device: the same call gives the same bits every time.
//!
//! | reduction | of | gives |
//! |---|---|---|
//! | [`Sum`] [`Product`] | numbers | their [`Total`](crate::number::Total): `f32` for `f16` and `bf16`, 64 bits for integers |
//! | [`OwnSum`] | numbers | the same type; integers wrap |
//! | [`Min`] [`Max`] | numbers | the same type; NaN is ignored |
//! | [`ArgMin`] [`ArgMax`] | numbers | the first index of the least or greatest element, `u64`; NaN is ignored |
//! | [`Mean`] [`Variance`] [`L1`] [`L2`] | numbers | a [`Real`](crate::number::Real)'s float: `f64` for `f64` and integers, else `f32` |
//! | [`Any`] [`All`] | `bool`s and numbers | `bool`: whether any or all are true |
//! | [`Count`] | `bool`s and numbers | the number of true ones, `u64` |

pub(crate) mod block;
pub(crate) mod columns;
mod dot;
mod extremes;
mod moments;
pub(crate) mod plan;
mod reduce;
mod rows;
mod segment;
mod sums;
mod truth;

pub use columns::{Columns, reduce_columns as columns_kernel};
pub use dot::{Dot, dot, dot_kernel};
pub use extremes::{ArgMax, ArgMin, Found, Max, Min};
pub use moments::{L1, L2, Mean, Moments, Variance};
pub use reduce::{Reduce, reduce, reduce_rows};
pub use rows::{Rows, reduce_rows as rows_kernel, reduce_short_rows as short_rows_kernel};
pub use sums::{OwnSum, Product, Reduction, Sum};
pub use truth::{All, Any, Count, Truth};
