//! The cells of stencils: which of them have weights.

use warpsmith::prelude::*;

use super::super::field::SIDE;

/// Cells that a stencil may have weights for.
pub const CELLS: usize = 128;
/// Cells from one row of a plane's stencil, or one axis of a star, to the next.
pub const OF_ROW: usize = 2 * SIDE + 1;
/// Cells from one row of a cube to the next.
pub const OF_CUBE: usize = 5;
/// The greatest distance from the centre of a cube.
pub const CUBE: usize = OF_CUBE / 2;

/// The weight of each cell.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Weights<S> {
    /// By the numbers of cells.
    pub of: [S; CELLS],
}

/// Whether a cell has a weight; `cells` and `more` have a bit for each of the first 64 and of the others.
#[gpu_fn]
pub fn has(cell: usize, cells: u64, more: u64) -> bool {
    let word = if cell < 64 { cells } else { more };
    (word >> (cell % 64)) & 1 != 0
}
