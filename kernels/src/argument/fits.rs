//! Checks that arguments of a call fit together.

use super::matrix::Layout;
use crate::error::KernelError;

/// Refuses an argument of another length than `expected`, which is explained by `why`.
///
/// # Errors
/// [`KernelError::Shape`] with the argument's name, `what`.
pub(crate) fn length(what: &'static str, len: usize, expected: usize, why: &str) -> Result<(), KernelError> {
    if len == expected {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{expected}, {why}"),
        got: format!("{len} elements"),
        way_out: "pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    })
}

/// The number of elements of an array of these extents; nothing if there are more than a `usize` counts.
pub(crate) fn elements(extents: &[usize]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    extents.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent))
}

/// Refuses a matrix whose rows are not contiguous.
pub(crate) fn side_by_side(what: &'static str, layout: Layout) -> Result<(), KernelError> {
    if layout.col_stride == 1 || layout.cols <= 1 {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: "rows whose elements lie side by side".to_owned(),
        got: format!("{} elements from one column to the next", layout.col_stride),
        way_out: "transpose it into a matrix of its own first, with `movement::transpose`",
    })
}

/// Refuses a matrix of other rows and columns than `expected`, which are explained by `why`.
pub(crate) fn extents(
    what: &'static str,
    layout: Layout,
    expected: [usize; 2],
    why: &str,
) -> Result<(), KernelError> {
    if [layout.rows, layout.cols] == expected {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{} rows and {} columns, {why}", expected[0], expected[1]),
        got: format!("{} rows and {} columns", layout.rows, layout.cols),
        way_out: "pass matrices whose extents agree",
    })
}

/// Refuses a matrix of other extents than `x`.
pub(crate) fn same_extents(what: &'static str, layout: Layout, x: Layout) -> Result<(), KernelError> {
    if (layout.rows, layout.cols) == (x.rows, x.cols) {
        return side_by_side(what, layout);
    }
    Err(KernelError::Shape {
        what,
        expected: format!("the {} rows and {} columns of `x`", x.rows, x.cols),
        got: format!("{} rows and {} columns", layout.rows, layout.cols),
        way_out: "pass matrices of the same extents",
    })
}

/// Refuses a slice unless it has one element for each column or row.
pub(crate) fn one_for_each(
    what: &'static str,
    len: usize,
    count: usize,
    of: &str,
) -> Result<(), KernelError> {
    if len == count {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{count}, one for each {of}"),
        got: format!("{len} elements"),
        way_out: "pass a part of that length: `.slice(..n)?`",
    })
}
