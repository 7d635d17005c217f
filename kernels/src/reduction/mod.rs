//! Reductions: many elements become one value, all of them or along one axis.
//!
//! A [`Reduction`] says what is computed. [`reduce`] takes all elements, and [`Call::axis`](crate::Call::axis) chooses an axis.
//! The result depends on the elements, the shape and the device's number of multiprocessors alone: launching again gives the same bits.

mod block;
mod operators;
pub mod rows;
mod segment;
mod whole;

pub use operators::{Reduction, Sum};
pub use whole::{Reduce, reduce};
