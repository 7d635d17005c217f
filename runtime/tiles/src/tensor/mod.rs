//! Matrices in the registers of a warp or a warpgroup, and their products on tensor cores.
//!
//! Written in the kernel language itself, on the instructions in [`ptx`](crate::ptx). A warp holds a block of sums, a
//! [`WarpAccumulator`], and multiplies [`OperandA`]s by [`OperandB`]s, which it loads from [`Tile`](crate::tile::Tile)s of
//! shared memory. A warpgroup holds an [`Accumulator`] and multiplies tiles in shared memory; meanwhile, a [`Chain`]
//! borrows the sums. Only this module knows which thread holds which element; kernels use rows and columns.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

mod accumulator;
mod chain;
mod element;
mod fragment;
mod left;
mod operand;
mod registers;
mod warpgroup;

pub use crate::tile::{Canonical, Panels, Swizzle, Swizzle32, Swizzle64, Swizzle128};
pub use accumulator::WarpAccumulator;
pub use chain::Chain;
pub use element::{HalfElement, TensorElement};
pub use fragment::Fragment;
pub use left::LeftOperand;
pub use operand::{OperandA, OperandB};
pub use registers::Registers;
pub use warpgroup::{Accumulator, across_rows};
