//! Matrices in the registers of a warp, and their products by the tensor cores.
//!
//! They are written in the device language itself, over the instructions of [`ptx`](crate::ptx). A warp holds a block of
//! sums, a [`WarpAccumulator`], and multiplies [`OperandA`]s by [`OperandB`]s, which it loads from
//! [`Tile`](crate::tile::Tile)s of shared memory. Only this module knows which lane holds which element; kernels name rows
//! and columns.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

mod accumulator;
mod element;
mod operand;
mod warpgroup;

pub use crate::tile::{Swizzle, Swizzle32, Swizzle64, Swizzle128};
pub use accumulator::WarpAccumulator;
pub use element::TensorElement;
pub use operand::{OperandA, OperandB};
pub use warpgroup::Accumulator;
