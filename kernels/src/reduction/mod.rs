//! Reductions: many elements become one value, all of them or along one axis.
//!
//! A [`Reduction`] says what is computed. [`reduce`] takes all elements of a slice, [`Call::axis`](crate::Call::axis) chooses an
//! axis, and [`reduce_rows`] takes the rows of a matrix. The order in which elements are joined depends on the shape, on the alignment
//! of the memory and on the device alone: the same call gives the same bits every time.
//!
//! | reduction | of | gives |
//! |---|---|---|
//! | [`Sum`] [`Product`] | numbers | their [`Total`](crate::number::Total): `f32` for `f16` and `bf16`, 64 bits for integers |
//! | [`OwnSum`] | numbers | the same type; integers wrap |
//! | [`Min`] [`Max`] | numbers | the same type; NaN is passed over |
//! | [`ArgMin`] [`ArgMax`] | numbers | the first index of the least or greatest element, `u64`; NaN is passed over |
//! | [`Mean`] [`Variance`] [`L1`] [`L2`] | numbers | a [`Real`](crate::number::Real)'s float: `f64` for integers |
//! | [`Any`] [`All`] [`Count`] | `bool`s and numbers | whether any is true, whether all are; how many are |

mod block;
mod columns;
mod dot;
mod extremes;
mod moments;
mod plan;
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
