//! Extents of a product as its kernels see them, and the order of its tiles.

use warpsmith::prelude::*;

/// The extents of a product, and where its operands lie. The kernels see `c` with its rows side by side.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Shape {
    /// Rows of `a` and `c`.
    pub m: usize,
    /// Columns of `b` and `c`.
    pub n: usize,
    /// Columns of `a` and rows of `b`.
    pub k: usize,
    /// Elements from one row of `a` to the next, or from one column to the next if those are the ones apart.
    pub a_stride: usize,
    /// The same of `b`.
    pub b_stride: usize,
    /// Elements from one product of a batch to the next, of `a`, `b` and `c`.
    pub batch: [usize; 3],
}

/// The tile of a block: the product that it belongs to, and its first row and column.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Place {
    /// Number of the product in its batch.
    pub product: usize,
    /// First row.
    pub row: usize,
    /// First column.
    pub col: usize,
}

/// Rows of tiles that blocks work on at the same time; the L2 cache keeps their data.
const BAND: u32 = 8;

/// Tiles of `rows` × `cols` that cover `m` × `n`: how many are below each other, and side by side.
#[gpu_fn]
pub fn tiles_of(m: usize, n: usize, [rows, cols]: [usize; 2]) -> [u32; 2] {
    [m.div_ceil(rows) as u32, n.div_ceil(cols) as u32]
}

/// The place of tile `i` of `down` × `across` tiles of `rows` × `cols`: down each column of a band of rows of tiles.
#[gpu_fn]
pub fn place_of(i: u32, [down, across]: [u32; 2], [rows, cols]: [usize; 2]) -> Place {
    let (product, i) = (i / (down * across), i % (down * across));
    let band = i / (BAND * across);
    let of_band = (down - band * BAND).min(BAND);
    let within = i % (BAND * across);
    let (row, col) = (band * BAND + within % of_band, within / of_band);
    Place { product: product as usize, row: row as usize * rows, col: col as usize * cols }
}
