//! Where the sum of a row goes: into the output, or, if tiles share the row, to the kernel that joins its parts.

use warpsmith::prelude::*;

use super::Offset;
use super::tiles::Tile;

/// Factors of a product and of what the output has before.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Scale<S> {
    /// Factor of the product.
    pub alpha: S,
    /// Factor of the elements that the output has before; if zero, nothing reads them.
    pub beta: S,
}

/// The row has begun in an earlier tile, and ends in this one.
pub(super) const HEAD: u32 = 0;
/// The row ends in a later tile.
pub(super) const TAIL: u32 = 1;
/// The row lies in this tile.
pub(super) const WHOLE: u32 = 2;

/// The part of a row that lies in a tile: `HEAD`, `TAIL` or `WHOLE`.
#[gpu_fn]
pub(super) fn part_in<I: Offset>(tile: Tile, row: usize, offsets: &[I]) -> u32 {
    if row >= tile.last {
        TAIL
    } else if row == tile.first && offsets[row].cast::<usize>() < tile.from {
        HEAD
    } else {
        WHOLE
    }
}
