//! Arguments of calls: device memory that is passed to several launches, and again at each repetition.
//!
//! Gets what kernels take, and gives it on as often as needed. Knows no kernel.

mod matrix;
mod slice;

pub use matrix::{Layout, Matrix, MatrixMut, matrix, matrix_mut};
pub(crate) use slice::length;
pub use slice::{Input, Output, Packs};
