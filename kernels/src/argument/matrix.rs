//! Matrices in device memory.

use warpsmith::args::{SliceArg, SliceMutArg};

use super::slice::{Input, Output};
use crate::error::KernelError;

/// The extents and strides of a matrix: its element `(r, c)` is element `r * row_stride + c * col_stride` of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Elements from one row to the next.
    pub row_stride: usize,
    /// Elements from one column to the next.
    pub col_stride: usize,
}

/// A matrix that a call reads, for `'a`; [`matrix`] makes it.
#[derive(Clone, Debug)]
pub struct Matrix<'a, T> {
    memory: Input<'a, T>,
    layout: Layout,
}

/// A matrix that a call writes, for `'a`; [`matrix_mut`] makes it.
#[derive(Debug)]
pub struct MatrixMut<'a, T> {
    memory: Output<'a, T>,
    layout: Layout,
}

/// The first `rows * cols` elements of `memory` as a matrix, row after row.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn matrix<'a, T>(
    memory: impl SliceArg<'a, T>,
    rows: usize,
    cols: usize,
) -> Result<Matrix<'a, T>, KernelError> {
    let memory = Input::new(memory);
    let layout = Layout::dense(rows, cols).within(memory.len())?;
    Ok(Matrix { memory, layout })
}

/// The first `rows * cols` elements of `memory` as a matrix to write, row after row.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn matrix_mut<'a, T>(
    memory: impl SliceMutArg<'a, T>,
    rows: usize,
    cols: usize,
) -> Result<MatrixMut<'a, T>, KernelError> {
    let memory = Output::new(memory);
    let layout = Layout::dense(rows, cols).within(memory.len())?;
    Ok(MatrixMut { memory, layout })
}

impl Layout {
    /// Row after row.
    fn dense(rows: usize, cols: usize) -> Self {
        Self { rows, cols, row_stride: cols, col_stride: 1 }
    }

    /// With another distance of rows, or of columns where the matrix is transposed.
    fn with_stride(self, stride: usize) -> Result<Self, KernelError> {
        let (extent, changed) = if self.col_stride == 1 {
            (self.cols, Self { row_stride: stride, ..self })
        } else {
            (self.rows, Self { col_stride: stride, ..self })
        };
        if stride < extent {
            return Err(KernelError::Shape {
                what: "stride",
                expected: format!("at least the {extent} elements of a row"),
                got: format!("{stride} elements"),
                way_out: "rows must not overlap",
            });
        }
        Ok(changed)
    }

    /// The layout, if `len` elements hold it.
    fn within(self, len: usize) -> Result<Self, KernelError> {
        let last = |extent: usize, stride: usize| extent.saturating_sub(1).checked_mul(stride);
        let needed = last(self.rows, self.row_stride)
            .zip(last(self.cols, self.col_stride))
            .and_then(|(row, col)| row.checked_add(col)?.checked_add(1));
        let empty = self.rows == 0 || self.cols == 0;
        match needed {
            Some(needed) if empty || needed <= len => Ok(self),
            _ => Err(KernelError::Shape {
                what: "matrix",
                expected: needed.map_or_else(
                    || "more elements than there can be".to_owned(),
                    |needed| {
                        let Self { rows, cols, .. } = self;
                        format!("{needed}, for {rows} rows and {cols} columns")
                    },
                ),
                got: format!("{len} elements"),
                way_out: "pass more memory, or smaller extents",
            }),
        }
    }

    /// The same elements with rows for columns.
    pub(crate) fn transposed(self) -> Self {
        let Self { rows, cols, row_stride, col_stride } = self;
        Self { rows: cols, cols: rows, row_stride: col_stride, col_stride: row_stride }
    }
}

macro_rules! matrices {
    ($($name:ident of $memory:ident;)+) => {$(
        impl<'a, T> $name<'a, T> {
            /// The same memory with `stride` elements from one row to the next.
            ///
            /// # Errors
            /// [`KernelError::Shape`] if rows would overlap, or reach beyond the memory.
            pub fn stride(self, stride: usize) -> Result<Self, KernelError> {
                let layout = self.layout.with_stride(stride)?.within(self.memory.len())?;
                Ok(Self { layout, ..self })
            }

            /// The transposed matrix, of the same memory.
            pub fn t(self) -> Self {
                Self { layout: self.layout.transposed(), ..self }
            }

            /// Extents and strides.
            pub fn layout(&self) -> Layout {
                self.layout
            }

            /// The memory, from the element `(0, 0)` on.
            pub fn memory(&self) -> &$memory<'a, T> {
                &self.memory
            }

            /// The memory by itself.
            pub fn into_memory(self) -> $memory<'a, T> {
                self.memory
            }
        }
    )+};
}

matrices! {
    Matrix of Input;
    MatrixMut of Output;
}
