//! Softmax and normalisations of the rows of a matrix.

use std::marker::PhantomData;

use warpsmith::Device;
use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;

use super::function::{LayerNorm, LogSoftmax, RmsNorm, RowFunction, Softmax};
use super::kernels::{Extents, rows_in_registers, rows_twice};
use super::packed::{Packed, RowElement, Words};
use super::plan::{PACKED_SLOTS, SINGLE_SLOTS, Shape, Way};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// The least number that is added to a mean square, unless [`Call::epsilon`] sets another.
const EPSILON: f32 = 1e-5;

/// `y = exp(x) / sum(exp(x))` of each row, computed in `f32`.
///
/// `x`, `y`: `[rows, cols]`, of any stride between rows. Elements far below the largest one become zero. As in PyTorch, a row with a
/// NaN, with positive infinity, or of negative infinities alone becomes NaN; next to finite elements, negative infinity becomes zero.
/// A quotient has a relative error of about `2^-22 * (1 + |x - max|)`.
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the matrices have different extents or are transposed,
/// [`KernelError::Overlap`] if they share memory.
pub fn softmax<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Rows<'a, Softmax, T>> {
    Call::new(device, Rows::new(x, y))
}

/// `y = x - ln(sum(exp(x)))` of each row, computed in `f32`.
///
/// `x`, `y`: `[rows, cols]`, of any stride between rows. NaN and infinities behave as in [`softmax`]; next to finite elements, negative
/// infinity stays what it is.
///
/// # Errors
/// Those of [`softmax`].
pub fn log_softmax<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Rows<'a, LogSoftmax, T>> {
    Call::new(device, Rows::new(x, y))
}

/// `y = x / sqrt(mean(x²) + epsilon) * weight + bias` of each row, computed in `f32`.
///
/// `x`, `y`: `[rows, cols]`, of any stride between rows; [`weight`](Call::weight), [`bias`](Call::bias): `cols` elements.
/// A row with a NaN becomes NaN. In a row with an infinity, that becomes NaN and the others zero.
///
/// # Errors
/// Those of [`softmax`]; [`KernelError::Shape`] for a weight or bias of another length.
pub fn rms_norm<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Rows<'a, RmsNorm, T>> {
    Call::new(device, Rows::new(x, y))
}

/// `y = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias` of each row, computed in `f32`.
///
/// The variance is the sum of squared distances divided by `cols`, joined from the moments of parts of the row: a large mean loses
/// no digits. Arguments are those of [`rms_norm`]. A row with a NaN or an infinity becomes NaN.
///
/// # Errors
/// Those of [`rms_norm`].
pub fn layer_norm<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Rows<'a, LayerNorm, T>> {
    Call::new(device, Rows::new(x, y))
}

/// A function of each row of a matrix.
pub struct Rows<'a, F, T> {
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
    residual: Option<MatrixMut<'a, T>>,
    weight: Option<Input<'a, T>>,
    bias: Option<Input<'a, T>>,
    epsilon: f32,
    threads: Option<u32>,
    _function: PhantomData<F>,
}

/// A normalisation: a function of rows that takes weights and a residual.
pub trait Norm: RowFunction {}

impl Norm for RmsNorm {}
impl Norm for LayerNorm {}

impl<'a, F: RowFunction, T: RowElement> Call<'a, Rows<'a, F, T>> {
    /// Threads that share a row: a power of two up to 1024, to which other numbers are rounded up. Default: as few as have a row in few
    /// registers each.
    pub fn threads(self, threads: u32) -> Self {
        self.map(|rows| Rows { threads: Some(threads), ..rows })
    }
}

impl<'a, F: Norm, T: RowElement> Call<'a, Rows<'a, F, T>> {
    /// Adds `residual` to `x` before anything else, and writes the sum, rounded to `T`, back to it.
    ///
    /// `residual`: `[rows, cols]`, of any stride between rows.
    pub fn residual(self, residual: MatrixMut<'a, T>) -> Self {
        self.map(|rows| Rows { residual: Some(residual), ..rows })
    }

    /// Multiplies each column by an element of `weight`.
    pub fn weight(self, weight: impl SliceArg<'a, T>) -> Self {
        self.map(|rows| Rows { weight: Some(Input::new(weight)), ..rows })
    }

    /// Adds an element of `bias` to each column, after the weight.
    pub fn bias(self, bias: impl SliceArg<'a, T>) -> Self {
        self.map(|rows| Rows { bias: Some(Input::new(bias)), ..rows })
    }

    /// What is added to the mean square. Default: 1e-5.
    pub fn epsilon(self, epsilon: f32) -> Self {
        self.map(|rows| Rows { epsilon, ..rows })
    }
}

impl<'a, F: RowFunction, T: RowElement> Rows<'a, F, T> {
    fn new(x: Matrix<'a, T>, y: MatrixMut<'a, T>) -> Self {
        Self {
            x,
            y,
            residual: None,
            weight: None,
            bias: None,
            epsilon: EPSILON,
            threads: None,
            _function: PhantomData,
        }
    }

    /// Refuses arguments that do not fit `x`.
    fn check(&self) -> Result<(), KernelError> {
        let x = self.x.layout();
        side_by_side("x", x)?;
        same_extents("y", self.y.layout(), x)?;
        let y = self.y.memory();
        y.apart_from("y", self.x.memory(), "x")?;
        if let Some(residual) = &self.residual {
            same_extents("residual", residual.layout(), x)?;
            let memory = residual.memory();
            memory.apart_from("residual", self.x.memory(), "x")?;
            memory.apart_from("residual", &y.read(), "y")?;
        }
        for (name, columns) in [("weight", &self.weight), ("bias", &self.bias)] {
            let Some(columns) = columns else { continue };
            one_a_column(name, columns.len(), x.cols)?;
            y.apart_from("y", columns, name)?;
            if let Some(residual) = &self.residual {
                residual.memory().apart_from("residual", columns, name)?;
            }
        }
        Ok(())
    }

    fn way(&self) -> Way {
        let residual = self.residual.as_ref();
        let begins = [
            Some(self.x.memory().misalignment()),
            Some(self.y.memory().misalignment()),
            residual.map(|residual| residual.memory().misalignment()),
            self.weight.as_ref().map(Input::misalignment),
            self.bias.as_ref().map(Input::misalignment),
        ];
        let layouts = [Some(self.x.layout()), Some(self.y.layout()), residual.map(MatrixMut::layout)];
        Shape {
            layouts: layouts.into_iter().flatten().collect(),
            element: size_of::<T>(),
            is_aligned: begins.into_iter().flatten().all(|begin| begin == Some(0)),
            threads: self.threads,
        }
        .way()
    }
}

/// Refuses a matrix whose rows are not stretches of memory.
pub fn side_by_side(what: &'static str, layout: Layout) -> Result<(), KernelError> {
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

/// Refuses a matrix of other extents than `x`.
pub fn same_extents(what: &'static str, layout: Layout, x: Layout) -> Result<(), KernelError> {
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

/// Refuses a slice that has not one element for each column.
fn one_a_column(what: &'static str, len: usize, cols: usize) -> Result<(), KernelError> {
    if len == cols {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{cols}, one for each column of `x`"),
        got: format!("{len} elements"),
        way_out: "pass a part of that length: `.slice(..n)?`",
    })
}

/// Refuses a slice that has not one element for each row.
pub fn one_a_row(what: &'static str, len: usize, rows: usize) -> Result<(), KernelError> {
    if len == rows {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{rows}, one for each row of `x`"),
        got: format!("{len} elements"),
        way_out: "pass a part of that length: `.slice(..n)?`",
    })
}

impl<'a, F: RowFunction, T: RowElement> Family<'a> for Rows<'a, F, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = format!("{}, {}", short_name::<F>(), short_name::<T>());
        let Layout { rows, cols, .. } = self.x.layout();
        if rows == 0 || cols == 0 {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let way @ Way { lanes, grid, block, .. } = self.way();
        let warps = if lanes > 32 { (super::lanes::MOST_THREADS / 32) as usize } else { 0 };
        let (kernel, how) = match way.slots {
            Some(slots) => (
                "rows_in_registers",
                format!("{lanes} threads have a row in registers, in up to {slots} accesses each"),
            ),
            None => (
                "rows_twice",
                "a row is too wide for the registers of a block, which reads it twice".to_owned(),
            ),
        };
        Ok(Plan {
            kernel,
            types,
            tile: cols * way.teams(),
            grid,
            block,
            shared: warps * size_of::<F::Summary>(),
            workspace: 0,
            why: format!("{}; {how}", way.why),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let way = self.way();
        Ok(vec![match way.pack {
            1 => launched::<F, T, 1, SINGLE_SLOTS>(self.singly(), way, target)?,
            4 => launched::<F, Words<T>, 4, PACKED_SLOTS>(self.in_packs(4), way, target)?,
            _ => launched::<F, Words<T>, 8, PACKED_SLOTS>(self.in_packs(8), way, target)?,
        }])
    }
}

/// The arguments of a kernel: memory in what an instruction loads.
struct Arguments<'a, P> {
    x: Input<'a, P>,
    residual: Option<Output<'a, P>>,
    weight: Option<Input<'a, P>>,
    bias: Option<Input<'a, P>>,
    y: Output<'a, P>,
    extents: Extents,
    epsilon: f32,
}

impl<'a, F: RowFunction, T: RowElement> Rows<'a, F, T> {
    /// Extents, with `pack` elements in each pack.
    fn extents(&self, pack: usize) -> Extents {
        let stride = |layout: Layout| layout.row_stride / pack;
        let Layout { rows, cols, .. } = self.x.layout();
        Extents {
            rows,
            packs: cols / pack,
            x_stride: stride(self.x.layout()),
            y_stride: stride(self.y.layout()),
            residual_stride: self.residual.as_ref().map_or(0, |residual| stride(residual.layout())),
        }
    }

    fn singly(self) -> Arguments<'a, T> {
        let extents = self.extents(1);
        let Self { x, y, residual, weight, bias, epsilon, .. } = self;
        let residual = residual.map(MatrixMut::into_memory);
        Arguments { x: x.memory().clone(), residual, weight, bias, y: y.into_memory(), extents, epsilon }
    }

    fn in_packs(self, pack: usize) -> Arguments<'a, Words<T>> {
        let extents = self.extents(pack);
        let Self { x, y, residual, weight, bias, epsilon, .. } = self;
        Arguments {
            x: x.memory().values(),
            residual: residual.map(|residual| residual.into_memory().into_values()),
            weight: weight.map(|weight| weight.values()),
            bias: bias.map(|bias| bias.values()),
            y: y.into_memory().into_values(),
            extents,
            epsilon,
        }
    }
}

/// The launch for what an instruction loads.
fn launched<'a, F: RowFunction, P: Packed, const N: usize, const SLOTS: usize>(
    arguments: Arguments<'a, P>,
    way: Way,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Arguments { x, residual, weight, bias, mut y, extents, epsilon } = arguments;
    let with = (residual.is_some(), weight.is_some(), bias.is_some());
    let mut residual = residual.unwrap_or_else(|| y.nothing());
    let weight = weight.unwrap_or_else(|| x.nothing());
    let bias = bias.unwrap_or_else(|| x.nothing());
    let Way { lanes, grid, block, .. } = way;
    Ok(match way.slots {
        Some(slots) => {
            let is_full = extents.packs == (lanes * slots) as usize;
            step!(
                target,
                (grid, block),
                rows_in_registers::<F, P, N, SLOTS>(
                    &x,
                    &mut residual,
                    &weight,
                    &bias,
                    &mut y,
                    extents,
                    epsilon,
                    lanes,
                    slots,
                    is_full,
                    with.0,
                    with.1,
                    with.2
                )
            )
        }
        None => step!(
            target,
            (grid, block),
            rows_twice::<F, P, N>(
                &x,
                &mut residual,
                &weight,
                &bias,
                &mut y,
                extents,
                epsilon,
                lanes,
                with.0,
                with.1,
                with.2
            )
        ),
    })
}
