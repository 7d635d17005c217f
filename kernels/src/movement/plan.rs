//! The choice of the kernel that moves elements along given axes, and of its accesses.

use super::axes::{Axis, Outer, collapsed};
use super::kernels::{SIDE, THREADS, Turned};
use crate::call::MOST_BLOCKS;
use crate::pack::PACK_BYTES;

/// The least extent of an axis that is worth a tile in shared memory.
const LEAST_TURNED: usize = 8;
/// Values that a thread copies of a piece.
pub const VALUES: usize = 8;
/// Tiles below each other that are taken before those beside them, unless the caller sets another number.
pub const BAND: u32 = 64;
/// Bytes of a line of the cache.
const LINE: usize = 128;
/// Threads of a warp.
const WARP: usize = 32;

/// How elements are moved.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// There are none.
    Nothing,
    /// Through tiles in shared memory.
    Turn(Turn),
    /// Along one axis.
    Copy(Copy),
}

/// A transpose through tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Elements of an access.
    pub pack: usize,
    /// The side of a tile, in elements.
    pub edge: usize,
    /// The side of a tile of packs, in [`SIDE`] packs.
    pub span: usize,
    /// A matrix.
    pub of: Turned,
    /// Matrices.
    pub batch: usize,
    /// The axes around them.
    pub outer: Outer,
    /// Blocks.
    pub grid: u32,
}

/// A copy along one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    /// Elements of an access.
    pub pack: usize,
    /// The axis.
    pub inner: Axis,
    /// The axes around it.
    pub outer: Outer,
    /// Values of a piece.
    pub chunk: usize,
    /// Pieces.
    pub pieces: usize,
    /// Threads that share a piece.
    pub lanes: u32,
    /// True if values lie side by side on both sides.
    pub is_dense: bool,
    /// True if there are axes around it.
    pub has_outer: bool,
    /// Blocks.
    pub grid: u32,
}

/// A movement to plan.
pub struct Request {
    /// Axes with strides in words.
    pub axes: Vec<Axis>,
    /// Bytes of a word.
    pub word: usize,
    /// True if both sides begin at multiples of 16 bytes.
    pub is_aligned: bool,
    /// Tiles below each other that are taken before those beside them.
    pub band: u32,
    /// The side of a tile of packs, in [`SIDE`] packs. Default: the largest.
    pub span: Option<usize>,
}

impl Request {
    /// The way for this request: the only table of the family.
    pub fn way(&self) -> Way {
        if self.axes.iter().any(|axis| axis.extent == 0) {
            return Way::Nothing;
        }
        let axes = collapsed(self.axes.clone());
        let cols = axes.iter().position(|axis| axis.x_stride == 1);
        let rows = axes.iter().position(|axis| axis.y_stride == 1);
        match (rows, cols) {
            (Some(rows), Some(cols)) if rows != cols => {
                let is_long = axes[rows].extent.min(axes[cols].extent) >= LEAST_TURNED;
                if let Some(turn) = is_long.then(|| self.turn(&axes, rows, cols)).flatten() {
                    return Way::Turn(turn);
                }
                // Along the longer axis, a piece shares sectors with the next one.
                let inner = if axes[rows].extent < axes[cols].extent { cols } else { rows };
                Way::Copy(self.copy(axes, inner))
            }
            _ => {
                let last = axes.len().saturating_sub(1);
                Way::Copy(self.copy(axes, last))
            }
        }
    }

    fn per_pack(&self) -> usize {
        PACK_BYTES / self.word
    }

    /// Returns whether the strides of all axes are whole packs, and both sides are aligned.
    fn strides_fit(&self, axes: &[Axis]) -> bool {
        let pack = self.per_pack();
        let fits = |stride: usize| stride == 1 || stride.is_multiple_of(pack);
        self.is_aligned && axes.iter().all(|axis| fits(axis.x_stride) && fits(axis.y_stride))
    }

    /// The transpose; `None` if it has more tiles than a grid has blocks.
    fn turn(&self, axes: &[Axis], rows: usize, cols: usize) -> Option<Turn> {
        let (row, col) = (axes[rows], axes[cols]);
        let pack = self.per_pack();
        let packed =
            self.strides_fit(axes) && row.extent.is_multiple_of(pack) && col.extent.is_multiple_of(pack);
        // The larger the tile, the more loads are in flight.
        let span = self.span.unwrap_or(usize::MAX).clamp(1, most_span(pack));
        let (pack, edge) = if packed { (pack, pack * SIDE * span) } else { (1, edge(self.word).0) };
        let outer: Vec<Axis> = axes
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != rows && *k != cols)
            .map(|(_, axis)| axis.by(1, pack))
            .collect();
        let [tile_rows, tile_cols] = [row, col].map(|axis| axis.extent.div_ceil(edge));
        let batch = Outer::count(&outer);
        let blocks = tile_rows.checked_mul(tile_cols)?.checked_mul(batch)?;
        let grid = u32::try_from(blocks).ok().filter(|blocks| *blocks as usize <= MOST_BLOCKS)?;
        let [tile_rows, tile_cols] = [tile_rows, tile_cols].map(|tiles| tiles as u32);
        let of = Turned {
            rows: row.extent / pack,
            cols: col.extent / pack,
            x_stride: row.x_stride / pack,
            y_stride: col.y_stride / pack,
            tile_rows,
            tile_cols,
            band: self.band.clamp(1, tile_rows.max(1)),
        };
        Some(Turn { pack, edge, span, of, batch, outer: Outer::new(&outer), grid })
    }

    fn copy(&self, mut axes: Vec<Axis>, inner: usize) -> Copy {
        let inner =
            if axes.is_empty() { Axis { x_stride: 1, y_stride: 1, ..Axis::ONE } } else { axes.remove(inner) };
        let is_dense = inner.x_stride == 1 && inner.y_stride == 1;
        let pack = self.per_pack();
        let packed = is_dense && self.strides_fit(&axes) && inner.extent.is_multiple_of(pack);
        let pack = if packed { pack } else { 1 };
        let inner = Axis { extent: inner.extent / pack, ..inner };
        let outer: Vec<Axis> = axes.iter().map(|axis| axis.by(1, pack)).collect();
        let lanes = lanes_of(inner.extent, pack * self.word, VALUES);
        let chunk = lanes * VALUES;
        let pieces = inner.extent.div_ceil(chunk) * Outer::count(&outer);
        let teams = THREADS as usize / lanes;
        let grid = pieces.div_ceil(teams).min(MOST_BLOCKS) as u32;
        let lanes = lanes as u32;
        let has_outer = !outer.is_empty();
        Copy { pack, inner, outer: Outer::new(&outer), chunk, pieces, lanes, is_dense, has_outer, grid }
    }
}

/// Threads that share a row of `len` values of `bytes` bytes, about `each` of them a thread. They access whole lines of it.
pub fn lanes_of(len: usize, bytes: usize, each: usize) -> usize {
    let wanted = len.div_ceil(each).next_power_of_two();
    let least = len.next_power_of_two().min(LINE / bytes).min(WARP);
    wanted.clamp(least, THREADS as usize)
}

/// The side of the largest tile in [`SIDE`] packs of `pack` elements. It takes up to 128 KiB of shared memory, and up to 16 packs of a thread.
fn most_span(pack: usize) -> usize {
    match pack {
        2 | 4 => 2,
        _ => 1,
    }
}

/// The side of a tile of single words of `word` bytes, and the words that pad its rows to an odd number of banks.
pub fn edge(word: usize) -> (usize, usize) {
    match word {
        1 => (128, 4),
        2 => (64, 2),
        _ => (32, 1),
    }
}
