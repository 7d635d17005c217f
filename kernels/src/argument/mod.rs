//! Arguments of calls: device memory that is passed to several launches, and again at each repetition.
//!
//! Takes arguments of kernels, and passes them to any number of launches. Independent of any
//! particular kernel.

mod array;
mod fits;
mod matrix;
mod slice;
mod tensor4;

pub use array::{Array, array};
pub(crate) use fits::{elements, extents, length, one_for_each, same_extents, side_by_side};
pub use matrix::{Layout, Matrix, MatrixMut, matrix, matrix_mut};
pub use slice::{Input, Output, Packs};
pub use tensor4::{Tensor4, Tensor4Mut, tensor4, tensor4_mut};
