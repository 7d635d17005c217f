//! Boxes of tensors: the description of a tensor that a map holds, and the places of the bytes of a box.
//!
//! This module does not know the driver, which encodes maps, nor the machine that moves the bytes.

use std::ops::Range;

use crate::place::{MemoryPlace, Order};
use crate::simulator::context::{self, BoxCopy, BoxPart, BoxPiece, SharedBox};

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

/// The value that a load gives for elements outside the tensor.
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

/// A tensor in global memory, of one to five dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// Address of its first element.
    pub address: u64,
    /// Its dimensions, the outermost first; elements of the last lie side by side.
    pub dimensions: Vec<Dimension>,
}

/// A dimension of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Its elements.
    pub extent: u64,
    /// Bytes from one to the next.
    pub stride: u64,
}

/// A box: the elements of a tensor that are copied together, and their places in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct BoxShape {
    /// The type of the tensor's elements.
    pub element: BoxElement,
    /// Its extents, the outermost first: as many as the tensor has dimensions.
    pub extents: &'static [usize],
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

/// A tensor map.
#[derive(Clone, Debug)]
pub struct TensorMapObject {
    /// The map that a kernel on a GPU is given; zeros on the simulator.
    pub encoded: EncodedMap,
    /// The tensor.
    pub tensor: Tensor,
    /// The boxes.
    pub shape: BoxShape,
    /// The value of elements outside the tensor.
    pub fill: BoxFill,
    /// The memory that holds the tensor.
    pub place: MemoryPlace,
    /// The memory by which launches order their uses of the tensor.
    pub order: Order,
}

/// Bytes that stay together whatever the swizzle is.
const UNIT: usize = 16;

impl TensorMapObject {
    /// The addresses of the tensor, gaps included.
    pub fn range(&self) -> Range<u64> {
        let Tensor { address, dimensions } = &self.tensor;
        let last: u64 = dimensions.iter().map(|d| d.extent.saturating_sub(1) * d.stride).sum();
        *address..address + last + self.shape.element.size() as u64
    }

    /// Starts a copy between a tile and the box whose first element has these coordinates, on the simulator.
    #[track_caller]
    pub fn start(
        &self,
        operation: &'static str,
        copy: BoxCopy,
        tile: SharedBox,
        at: &[i32],
        barrier: *const u8,
    ) {
        let at: Vec<i64> = at.iter().map(|i| i64::from(*i)).collect();
        let part = BoxPart {
            pieces: &self.pieces(&at),
            fill: self.fill.byte(),
            element: self.shape.element.size(),
            at: &at,
        };
        context::box_copy(operation, copy, tile, part, barrier);
    }

    /// The pieces of the box whose first element has these coordinates, row after row.
    pub fn pieces(&self, at: &[i64]) -> Vec<BoxPiece> {
        let mut pieces: Vec<BoxPiece> = Vec::new();
        let BoxShape { element, extents, .. } = self.shape;
        let (Some((cols, outer)), Some((col, first))) = (extents.split_last(), at.split_last()) else {
            return pieces;
        };
        let unit = UNIT / element.size();
        for r in 0..outer.iter().product() {
            let row = self.row(outer, first, r);
            for c in (0..*cols).step_by(unit) {
                let place = (self.shape.place)(r, c, *cols) * element.size();
                let count = unit.min(cols - c);
                self.unit(row, col + c as i64, (place, count), &mut |piece| match pieces.last_mut() {
                    Some(last) if is_followed_by(last, &piece) => last.bytes += piece.bytes,
                    _ => pieces.push(piece),
                });
            }
        }
        pieces
    }

    /// The address where row `r` of a box begins in the tensor; `None` outside. Rows of all outer dimensions are counted.
    fn row(&self, outer: &[usize], first: &[i64], mut r: usize) -> Option<u64> {
        let mut address = self.tensor.address;
        for ((extent, first), dimension) in outer.iter().zip(first).zip(&self.tensor.dimensions).rev() {
            let i = first + (r % extent) as i64;
            r /= extent;
            if !(0..dimension.extent as i64).contains(&i) {
                return None;
            }
            address += i as u64 * dimension.stride;
        }
        Some(address)
    }

    /// The pieces of a unit of `count` elements at a column of a row: what of it is left of the tensor, inside, and right of it.
    fn unit(&self, row: Option<u64>, col: i64, (at, count): (usize, usize), give: &mut dyn FnMut(BoxPiece)) {
        let size = self.shape.element.size();
        let cols = self.tensor.dimensions.last().map_or(0, |columns| columns.extent);
        let (start, cols) = row.map_or((0, 0), |start| (start, cols as i64));
        let first = (-col).clamp(0, count as i64);
        let last = (cols - col).clamp(first, count as i64);
        for (from, to, inside) in [(0, first, false), (first, last, true), (last, count as i64, false)] {
            if from < to {
                let element = || start + (col + from) as u64 * size as u64;
                let (at, bytes) = (at + from as usize * size, (to - from) as usize * size);
                give(BoxPiece { at, tensor: inside.then(|| element() as usize), bytes });
            }
        }
    }
}

/// Returns whether a piece continues another one, in both memories.
fn is_followed_by(piece: &BoxPiece, next: &BoxPiece) -> bool {
    let goes_on = match (piece.tensor, next.tensor) {
        (Some(from), Some(next)) => from + piece.bytes == next,
        (None, None) => true,
        _ => false,
    };
    goes_on && piece.at + piece.bytes == next.at
}
