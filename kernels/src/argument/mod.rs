//! Arguments of calls: device memory that is passed to several launches, and again at each repetition.
//!
//! Takes arguments of kernels, and passes them to any number of launches. Knows no kernel.

mod matrix;
mod slice;

pub use matrix::{Layout, Matrix, MatrixMut, matrix, matrix_mut};
pub(crate) use slice::length;
pub use slice::{Input, Output, Packs};
