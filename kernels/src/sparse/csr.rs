//! Sparse matrices in compressed rows.

use warpsmith::args::SliceArg;
use warpsmith::prelude::*;

use crate::argument::{Input, Output, length};
use crate::error::KernelError;
use crate::number::Number;

/// A type of row offsets and of columns in kernels: `u32` and `u64`.
pub trait Offset: Number + 'static {}

impl Offset for u32 {}

impl Offset for u64 {}

/// A type of row offsets and of columns in memory: `u32`, `u64`, and `i32` and `i64`, as SciPy and PyTorch have them.
pub trait Index: GpuType + 'static {
    /// The type in kernels, which has the same bytes. Negative numbers are beyond every matrix there, and end the launch with a fault.
    type Unsigned: Offset;
}

macro_rules! indices {
    ($($index:ident as $unsigned:ident;)+) => {$(
        impl Index for $index {
            type Unsigned = $unsigned;
        }
    )+};
}

indices! {
    u32 as u32;
    u64 as u64;
    i32 as u32;
    i64 as u64;
}

/// A sparse matrix that a call reads, for `'a`; [`csr`] makes it.
#[derive(Clone, Debug)]
pub struct Csr<'a, T, I = u32, C = u32> {
    pub(super) cols: usize,
    pub(super) offsets: Input<'a, I>,
    pub(super) columns: Input<'a, C>,
    pub(super) values: Input<'a, T>,
}

/// A sparse matrix of `rows` rows and `cols` columns.
///
/// Row `r` has the non-zeros from number `offsets[r]` to before `offsets[r + 1]`: `values[i]` in column `columns[i]`. They may be in any
/// order, and those of one column are added. `offsets`: `[rows + 1]`, from 0 to the number of non-zeros, never falling; `columns` and
/// `values`: as long as there are non-zeros. Offsets and columns are `u32`, `u64`, `i32` or `i64`, each of its own type; nothing is copied.
/// A kernel that meets other offsets, a negative column or one from `cols` on ends with a fault.
///
/// # Errors
/// [`KernelError::Shape`] if the lengths do not agree.
pub fn csr<'a, T, I: Index, C: Index>(
    rows: usize,
    cols: usize,
    offsets: impl SliceArg<'a, I>,
    columns: impl SliceArg<'a, C>,
    values: impl SliceArg<'a, T>,
) -> Result<Csr<'a, T, I::Unsigned, C::Unsigned>, KernelError> {
    const {
        assert!(
            is_alike::<I, I::Unsigned>() && is_alike::<C, C::Unsigned>(),
            "an `Index` and its type in kernels have the same bytes"
        )
    };
    let (offsets, columns, values) = (Input::new(offsets), Input::new(columns), Input::new(values));
    length("offsets", offsets.len(), rows.saturating_add(1), "one more than there are rows")?;
    length("columns", columns.len(), values.len(), "one for each of the `values`")?;
    if rows == 0 {
        length("values", values.len(), 0, "as there are no rows")?;
    }
    Ok(Csr { cols, offsets: offsets.values(), columns: columns.values(), values })
}

/// Whether two types have the same size and alignment.
const fn is_alike<T, U>() -> bool {
    size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()
}

impl<T, I, C> Csr<'_, T, I, C> {
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
