//! Sparse matrices in compressed rows.

use warpsmith::args::SliceArg;
use warpsmith::prelude::*;

use crate::argument::{Input, Output, length};
use crate::error::KernelError;

/// A type of row offsets: `u32` and `u64`.
pub trait Offset: Num + GpuType + 'static {}

impl Offset for u32 {}

impl Offset for u64 {}

/// A sparse matrix that a call reads, for `'a`; [`csr`] makes it.
#[derive(Clone, Debug)]
pub struct Csr<'a, T, I = u32> {
    pub(super) cols: usize,
    pub(super) offsets: Input<'a, I>,
    pub(super) columns: Input<'a, u32>,
    pub(super) values: Input<'a, T>,
}

/// A sparse matrix of `rows` rows and `cols` columns.
///
/// Row `r` has the non-zeros from number `offsets[r]` to before `offsets[r + 1]`: `values[i]` in column `columns[i]`. They may be in any
/// order, and those of one column are added. `offsets`: `[rows + 1]`, from 0 to the number of non-zeros, never falling; `columns` and
/// `values`: as long as there are non-zeros. A kernel that meets other offsets, or a column from `cols` on, ends with a fault.
///
/// # Errors
/// [`KernelError::Shape`] if the lengths do not agree.
pub fn csr<'a, T, I: Offset>(
    rows: usize,
    cols: usize,
    offsets: impl SliceArg<'a, I>,
    columns: impl SliceArg<'a, u32>,
    values: impl SliceArg<'a, T>,
) -> Result<Csr<'a, T, I>, KernelError> {
    let (offsets, columns, values) = (Input::new(offsets), Input::new(columns), Input::new(values));
    length("offsets", offsets.len(), rows.saturating_add(1), "one more than there are rows")?;
    length("columns", columns.len(), values.len(), "one for each of the `values`")?;
    if rows == 0 {
        length("values", values.len(), 0, "as there are no rows")?;
    }
    Ok(Csr { cols, offsets, columns, values })
}

impl<T, I> Csr<'_, T, I> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of non-zeros.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// Refuses an output that shares memory with the matrix.
    pub(super) fn apart_from<U>(
        &self,
        written: &'static str,
        output: &Output<'_, U>,
    ) -> Result<(), KernelError> {
        output.apart_from(written, &self.offsets, "offsets")?;
        output.apart_from(written, &self.columns, "columns")?;
        output.apart_from(written, &self.values, "values")
    }
}
