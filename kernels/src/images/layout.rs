//! Images and planes that lie below each other in a matrix.

use super::field::{Field, Plane};
use super::sample::Sample;
use crate::argument::{Layout, Matrix, MatrixMut};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;

/// The images or planes of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// How many lie below each other.
    pub count: usize,
    /// What they are called in errors.
    pub what: &'static str,
    /// Samples of a pixel, side by side.
    pub channels: usize,
}

impl Images {
    /// One image of one channel.
    pub fn single() -> Self {
        Self { count: 1, what: "images", channels: 1 }
    }

    /// Refuses numbers that do not divide the rows and columns of a matrix.
    pub fn check(self, matrix: &'static str, of: Layout) -> Result<(), KernelError> {
        let Self { count, what, channels } = self;
        for (what, number, extent, way_out) in [
            (what, count, (of.rows, "rows"), "all of them have the same number of rows"),
            ("channels", channels, (of.cols, "columns"), "the samples of a pixel lie side by side"),
        ] {
            if extent.0.checked_rem(number).map_or(extent.0 > 0, |rest| rest > 0) {
                return Err(KernelError::Shape {
                    what,
                    expected: format!("a number that divides the {} {} of `{matrix}`", extent.0, extent.1),
                    got: format!("the value {number}"),
                    way_out,
                });
            }
        }
        Ok(())
    }

    /// All samples as results; `None` if there are no images.
    pub fn field(self, x: Layout, y: Layout) -> Option<Field> {
        let extents = [self.count, x.rows.checked_div(self.count)?, x.cols];
        Some(Field {
            planes: extents[0],
            rows: extents[1],
            cols: extents[2],
            x_stride: x.row_stride,
            y_stride: y.row_stride,
            first: [0; 3],
            end: extents,
            chunk: 1,
        })
    }
}

impl Field {
    /// Leaves out the results that are less than `before` from the first along an axis, or less than `behind` from the last.
    pub(super) fn keep_edges(&mut self, before: [usize; 3], behind: [usize; 3]) {
        for axis in 0..3 {
            self.first[axis] = before[axis];
            self.end[axis] = self.end[axis].saturating_sub(behind[axis]);
        }
    }

    /// Returns whether there are no results.
    pub(super) fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.first[axis] >= self.end[axis])
    }

    /// The number of results.
    pub(super) fn results(&self) -> usize {
        (0..3).fold(1, |all: usize, axis| all.saturating_mul(self.end[axis] - self.first[axis]))
    }
}

impl Plane {
    /// A plane of a field; `None` if an extent or a stride has more than 31 bits.
    pub(super) fn of(field: Field) -> Option<Self> {
        let fits = |extent: usize| i32::try_from(extent).ok().map(|extent| extent as u32);
        let both = |[_, row, col]: [usize; 3]| Some([fits(row)?, fits(col)?]);
        Some(Self {
            rows: fits(field.rows)?,
            cols: fits(field.cols)?,
            x_stride: fits(field.x_stride)?,
            y_stride: fits(field.y_stride)?,
            first: both(field.first)?,
            end: both(field.end)?,
        })
    }
}

/// Samples that one instruction loads.
pub fn neighbours<T: Sample>() -> usize {
    size_of::<T::Neighbours>() / size_of::<T>()
}

/// Whether one instruction may load or store several samples: all rows of both matrices begin at multiples of their bytes.
pub fn is_wide<T: Sample>(x: &Matrix<'_, T>, y: &MatrixMut<'_, T>) -> bool {
    const { assert!(size_of::<T::Neighbours>() <= PACK_BYTES) };
    let n = neighbours::<T>();
    let fits = |misalignment: Option<usize>, of: Layout| {
        misalignment.is_some_and(|gap| gap.is_multiple_of(n)) && of.row_stride.is_multiple_of(n)
    };
    fits(x.memory().misalignment(), x.layout()) && fits(y.memory().misalignment(), y.layout())
}

/// Bytes that one instruction copies to shared memory: 16, 8 or 4, at whose multiples all rows begin, or those of a sample.
pub fn copied<T>(x: &Matrix<'_, T>) -> usize {
    let size = size_of::<T>();
    let (misalignment, stride) = (x.memory().misalignment(), x.layout().row_stride * size);
    let fits = |bytes: &usize| {
        misalignment.is_some_and(|gap| (gap * size).is_multiple_of(*bytes)) && stride.is_multiple_of(*bytes)
    };
    [PACK_BYTES, 8, 4].into_iter().filter(|bytes| *bytes >= size).find(fits).unwrap_or(size)
}
