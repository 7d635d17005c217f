//! The largest or smallest keys of rows, as a function.

use warpsmith::Device;
use warpsmith::driver::Limits;

use super::key::{DIGIT_BITS, Key, RADIX};
use super::network::THREADS;
use super::top_k::{TopRows, top_rows};
use crate::argument::{Layout, Matrix, MatrixMut, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// The most keys of a row that can be written.
const MOST_KEYS: usize = 1024;

/// Writes the largest keys of each row of `x` to `y`, in descending order, and the columns where they are to `columns`.
///
/// `x`: `[rows, cols]`; `y`, `columns`: `[rows, k]`, for `k` from 0 to `cols`, at most 1024; of any stride between rows. Keys are in the
/// order of [`sort`](super::sort). Of equal keys, those with the lowest columns come first.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::sorting::top_k;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[3.0f32, -1.0, 7.0, 3.0])?;
/// let (mut y, mut columns) = (gpu.alloc_zeroed::<f32>(3)?, gpu.alloc_zeroed::<u32>(3)?);
/// top_k(&gpu, matrix(&x, 1, 4)?, matrix_mut(&mut y, 1, 3)?, matrix_mut(&mut columns, 1, 3)?).run()?;
/// assert_eq!(gpu.download(&y)?, [7.0, 3.0, 3.0]);
/// assert_eq!(gpu.download(&columns)?, [2, 0, 3]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if extents do not fit, `k` is above 1024 or a matrix is transposed,
/// [`KernelError::Overlap`] if an output shares memory with another argument.
pub fn top_k<'a, K: Key>(
    device: &Device,
    x: Matrix<'a, K>,
    y: MatrixMut<'a, K>,
    columns: MatrixMut<'a, u32>,
) -> Call<'a, TopK<'a, K>> {
    Call::new(device, TopK { x, y, columns, is_descending: true })
}

/// A choice of keys with its arguments.
pub struct TopK<'a, K> {
    x: Matrix<'a, K>,
    y: MatrixMut<'a, K>,
    columns: MatrixMut<'a, u32>,
    is_descending: bool,
}

impl<'a, K: Key> Call<'a, TopK<'a, K>> {
    /// Takes the smallest keys, in ascending order.
    pub fn smallest(self) -> Self {
        self.map(|top| TopK { is_descending: false, ..top })
    }
}

impl<K: Key> TopK<'_, K> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y, columns) = (self.x.layout(), self.y.layout(), self.columns.layout());
        for (what, layout) in [("x", x), ("y", y), ("columns", columns)] {
            side_by_side(what, layout)?;
        }
        let shape = |what, expected, layout: Layout, way_out| KernelError::Shape {
            what,
            expected,
            got: format!("{} rows and {} columns", layout.rows, layout.cols),
            way_out,
        };
        if x.cols > u32::MAX as usize {
            let way_out = "columns are numbered by `u32`: pass parts of the rows";
            return Err(shape("x", format!("at most {} columns", u32::MAX), x, way_out));
        }
        let most = x.cols.min(MOST_KEYS);
        if y.rows != x.rows || y.cols > most {
            let expected = format!("the {} rows of `x`, and at most {most} columns", x.rows);
            let way_out = "ask for fewer keys, or sort the rows with `sort_pairs`";
            return Err(shape("y", expected, y, way_out));
        }
        if (columns.rows, columns.cols) != (y.rows, y.cols) {
            let expected = format!("the {} rows and {} columns of `y`", y.rows, y.cols);
            return Err(shape("columns", expected, columns, "pass matrices of the same extents"));
        }
        let (memory, places) = (self.y.memory(), self.columns.memory());
        memory.apart_from("y", self.x.memory(), "x")?;
        places.apart_from("columns", self.x.memory(), "x")?;
        places.apart_from("columns", &memory.read(), "y")
    }

    /// The keys that a block can sort.
    fn most(&self) -> usize {
        match self.y.layout().cols {
            0..=32 => 32,
            33..=128 => 128,
            _ => MOST_KEYS,
        }
    }
}

impl<'a, K: Key> Family<'a> for TopK<'a, K> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let (x, y) = (self.x.layout(), self.y.layout());
        if y.rows == 0 || y.cols == 0 {
            return Ok(Plan::nothing(short_name::<K>(), "no keys are asked for"));
        }
        let sorted = self.most() * (size_of::<K>() + size_of::<u32>());
        Ok(Plan {
            kernel: "top_rows",
            types: short_name::<K>(),
            tile: x.cols,
            grid: x.rows.min(MOST_BLOCKS) as u32,
            block: THREADS,
            shared: sorted + (RADIX + RADIX / 32 + 4) * size_of::<u32>(),
            workspace: 0,
            why: format!("the last of {} keys is found by {DIGIT_BITS} bits after the other", y.cols),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.most() {
            32 => launched::<K, 32>(self, plan, target)?,
            128 => launched::<K, 128>(self, plan, target)?,
            _ => launched::<K, MOST_KEYS>(self, plan, target)?,
        }])
    }
}

/// The launch with room for `MOST` keys.
fn launched<'a, K: Key, const MOST: usize>(
    top: TopK<'a, K>,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (x, y, columns) = (top.x.layout(), top.y.layout(), top.columns.layout());
    let of = TopRows {
        rows: x.rows,
        cols: x.cols,
        count: y.cols,
        x_stride: x.row_stride,
        y_stride: y.row_stride,
        columns_stride: columns.row_stride,
    };
    let descending = top.is_descending;
    let (x, mut y, mut columns) = (top.x.into_memory(), top.y.into_memory(), top.columns.into_memory());
    Ok(step!(target, (plan.grid, THREADS), top_rows::<K, MOST>(&x, &mut y, &mut columns, of, descending)))
}
