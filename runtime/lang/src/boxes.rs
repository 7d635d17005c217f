//! Boxes of tensors: the description of a matrix that a map holds, and the places of the bytes of a box.
//!
//! This module does not know the driver, which encodes maps, nor the machine that moves the bytes.

use std::ops::Range;

use crate::place::{MemoryPlace, Order};
use crate::simulator::context::{self, BoxCopy, BoxPiece, SharedBox};

/// Elements that the copy engine knows.
///
/// Source: CUDA Driver API, `CUtensorMapDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names say it")]
pub enum BoxElement {
    U8,
    U16,
    U32,
    I32,
    U64,
    I64,
    F16,
    BF16,
    F32,
    F64,
}

impl BoxElement {
    /// Bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            BoxElement::U8 => 1,
            BoxElement::U16 | BoxElement::F16 | BoxElement::BF16 => 2,
            BoxElement::U32 | BoxElement::I32 | BoxElement::F32 => 4,
            BoxElement::U64 | BoxElement::I64 | BoxElement::F64 => 8,
        }
    }

    /// Returns whether it is a float, a type that has a NaN.
    pub fn is_float(self) -> bool {
        matches!(self, BoxElement::F16 | BoxElement::BF16 | BoxElement::F32 | BoxElement::F64)
    }
}

/// The value that a load gives for elements outside of the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxFill {
    /// Zeros.
    #[default]
    Zeros,
    /// A NaN, whose bits are the device's.
    Nan,
}

impl BoxFill {
    /// The byte that the simulator fills with: ones are a NaN of every float.
    pub fn byte(self) -> u8 {
        match self {
            BoxFill::Zeros => 0,
            BoxFill::Nan => 0xff,
        }
    }
}

/// A matrix in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// Address of its first element.
    pub address: u64,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub cols: u64,
    /// Bytes from one row to the next.
    pub stride: u64,
}

/// A box: the elements of a matrix that are copied together, and their places in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct BoxShape {
    /// The type of the matrix's elements.
    pub element: BoxElement,
    /// Rows of a box.
    pub rows: usize,
    /// Columns of a box.
    pub cols: usize,
    /// Bytes of the spans in which units of sixteen bytes change places; 0 if none do.
    pub span: usize,
    /// Alignment in shared memory, in bytes.
    pub align: usize,
    /// The place of an element among those of the tile, by its row and column and the tile's columns: the layout's own.
    pub place: fn(usize, usize, usize) -> usize,
}

/// The words of a map as the driver encodes it, where it may lie.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct EncodedMap(pub [u64; 16]);

/// A map of a matrix.
#[derive(Clone, Debug)]
pub struct TensorMapObject {
    /// The map that a kernel on a GPU is given; zeros on the simulator.
    pub encoded: EncodedMap,
    /// The matrix.
    pub matrix: Matrix,
    /// The boxes.
    pub shape: BoxShape,
    /// The value of elements outside of the matrix.
    pub fill: BoxFill,
    /// The memory that holds the matrix.
    pub place: MemoryPlace,
    /// How launches order their uses of the matrix.
    pub order: Order,
}

/// Bytes that stay together whatever the swizzle is.
const UNIT: usize = 16;

impl TensorMapObject {
    /// The addresses of the matrix, gaps between its rows included.
    pub fn range(&self) -> Range<u64> {
        let Matrix { address, rows, cols, stride } = self.matrix;
        address..address + rows.saturating_sub(1) * stride + cols * self.shape.element.size() as u64
    }

    /// Starts a copy between a tile and the box whose first element is at (`row`, `col`), on the simulator.
    #[track_caller]
    pub fn start(
        &self,
        operation: &'static str,
        copy: BoxCopy,
        tile: SharedBox,
        [row, col]: [i32; 2],
        barrier: *const u8,
    ) {
        let pieces = self.pieces([row.into(), col.into()]);
        let before = i64::from(col) * self.shape.element.size() as i64;
        context::box_copy(operation, copy, tile, (&pieces, self.fill.byte(), [row.into(), before]), barrier);
    }

    /// The pieces of the box whose first element is at (`row`, `col`), row after row.
    pub fn pieces(&self, [row, col]: [i64; 2]) -> Vec<BoxPiece> {
        let mut pieces: Vec<BoxPiece> = Vec::new();
        let BoxShape { element, rows, cols, .. } = self.shape;
        let unit = UNIT / element.size();
        for r in 0..rows {
            for c in (0..cols).step_by(unit) {
                let at = (self.shape.place)(r, c, cols) * element.size();
                self.unit(
                    [row + r as i64, col + c as i64],
                    at,
                    unit.min(cols - c),
                    &mut |piece| match pieces.last_mut() {
                        Some(last) if is_followed_by(last, &piece) => last.bytes += piece.bytes,
                        _ => pieces.push(piece),
                    },
                );
            }
        }
        pieces
    }

    /// The pieces of a unit: what of it is left of the matrix, inside, and right of it.
    fn unit(&self, [row, col]: [i64; 2], at: usize, count: usize, give: &mut dyn FnMut(BoxPiece)) {
        let Matrix { address, rows, cols, stride } = self.matrix;
        let size = self.shape.element.size();
        let has_row = (0..rows as i64).contains(&row);
        let cols = if has_row { cols as i64 } else { 0 };
        let first = (-col).clamp(0, count as i64);
        let last = (cols - col).clamp(first, count as i64);
        for (from, to, inside) in [(0, first, false), (first, last, true), (last, count as i64, false)] {
            if from < to {
                let element = || address + row as u64 * stride + (col + from) as u64 * size as u64;
                let (at, bytes) = (at + from as usize * size, (to - from) as usize * size);
                give(BoxPiece { at, matrix: inside.then(|| element() as usize), bytes });
            }
        }
    }
}

/// Returns whether a piece continues another one, in both memories.
fn is_followed_by(piece: &BoxPiece, next: &BoxPiece) -> bool {
    let goes_on = match (piece.matrix, next.matrix) {
        (Some(from), Some(next)) => from + piece.bytes == next,
        (None, None) => true,
        _ => false,
    };
    goes_on && piece.at + piece.bytes == next.at
}

#[cfg(test)]
mod tests;
