//! Softmax and normalisations of the rows of a matrix.

use std::marker::PhantomData;

use warpsmith::Device;
use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;

use super::function::{LayerNorm, LogSoftmax, RmsNorm, RowFunction, Softmax};
use super::kernels::{Extents, rows_in_registers, rows_twice};
use super::packed::{Packed, RowElement, Words};
use super::plan::{PACKED_SLOTS, SINGLE_SLOTS, Shape, Way};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, one_for_each, same_extents, side_by_side};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// The default of [`Call::epsilon`].
const EPSILON: f32 = 1e-5;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $function:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'a, T: RowElement>(
            device: &Device,
            x: Matrix<'a, T>,
            y: MatrixMut<'a, T>,
        ) -> Call<'a, Rows<'a, $function, T>> {
            Call::new(device, Rows::new(x, y))
        }
    )+};
}

functions! {
    /// `y = exp(x) / sum(exp(x))` of each row, computed in `f32`.
    ///
    /// `x`, `y`: `[rows, cols]`, with any row stride. Elements far below the largest one become zero. As in PyTorch, a row with a NaN or
    /// positive infinity, or with only negative infinities, becomes NaN; beside finite elements, negative infinity becomes zero. A result
    /// has a relative error of about `2^-22 * (1 + |x - max|)`.
    ///
    /// # Errors
    /// From the call's methods: [`KernelError::Shape`] if the matrices have different extents or are transposed,
    /// [`KernelError::Overlap`] if they share memory.
    softmax Softmax;

    /// `y = x - ln(sum(exp(x)))` of each row, computed in `f32`.
    ///
    /// `x`, `y`: `[rows, cols]`, with any row stride. NaN and infinities behave as in [`softmax`]; beside finite elements, negative
    /// infinity stays negative infinity.
    ///
    /// # Errors
    /// Those of [`softmax`].
    log_softmax LogSoftmax;

    /// `y = x / sqrt(mean(x²) + epsilon) * weight + bias` of each row, computed in `f32`.
    ///
    /// `x`, `y`: `[rows, cols]`, with any row stride; [`weight`](Call::weight), [`bias`](Call::bias): `cols` elements. A row with a NaN
    /// becomes NaN. In a row with an infinity, the infinity becomes NaN and the other elements zero.
    ///
    /// # Errors
    /// Those of [`softmax`]; [`KernelError::Shape`] for a weight or bias of another length.
    rms_norm RmsNorm;

    /// `y = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias` of each row, computed in `f32`.
    ///
    /// The variance is the sum of squared distances divided by `cols`, combined from the moments of parts of the row, so a large mean does
    /// not reduce the accuracy. Arguments are those of [`rms_norm`]. A row with a NaN or an infinity becomes NaN.
    ///
    /// # Errors
    /// Those of [`rms_norm`].
    layer_norm LayerNorm;
}

/// A function of each row of a matrix.
pub struct Rows<'a, F, T, Y = MatrixMut<'a, T>> {
    x: Matrix<'a, T>,
    y: Y,
    residual: Option<MatrixMut<'a, T>>,
    weight: Option<Input<'a, T>>,
    bias: Option<Input<'a, T>>,
    epsilon: f32,
    threads: Option<u32>,
    _function: PhantomData<F>,
}

/// The results of rows: a matrix, or several things that are written together.
pub trait RowsOutput {
    /// Refuses results that do not fit an input.
    fn check(&self, x: Layout) -> Result<(), KernelError>;
    /// The layout of the matrix.
    fn layout(&self) -> Layout;
    /// Elements before the first one of the matrix that begins at a multiple of 16 bytes.
    fn misalignment(&self) -> Option<usize>;
    /// Refuses results that share memory with another argument.
    fn apart_from<U>(&self, other: &Input<'_, U>, name: &'static str) -> Result<(), KernelError>;
}

impl<T> RowsOutput for MatrixMut<'_, T> {
    fn check(&self, x: Layout) -> Result<(), KernelError> {
        same_extents("y", self.layout(), x)
    }

    fn layout(&self) -> Layout {
        self.layout()
    }

    fn misalignment(&self) -> Option<usize> {
        self.memory().misalignment()
    }

    fn apart_from<U>(&self, other: &Input<'_, U>, name: &'static str) -> Result<(), KernelError> {
        self.memory().apart_from("y", other, name)
    }
}

/// A normalisation: a function of rows that takes weights and a residual.
pub trait Norm: RowFunction {}

impl Norm for RmsNorm {}
impl Norm for LayerNorm {}

impl<'a, F: RowFunction, T: RowElement> Call<'a, Rows<'a, F, T>> {
    /// Sets how many threads share a row: a power of two up to 1024. Other numbers are rounded up. Default: the smallest number that holds
    /// a row in few registers per thread.
    pub fn threads(self, threads: u32) -> Self {
        self.map(|rows| Rows { threads: Some(threads), ..rows })
    }
}

impl<'a, F: Norm, T: RowElement, Y> Call<'a, Rows<'a, F, T, Y>>
where
    Rows<'a, F, T, Y>: Family<'a>,
{
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

    /// Sets the number that is added to the mean square. Default: 1e-5.
    pub fn epsilon(self, epsilon: f32) -> Self {
        self.map(|rows| Rows { epsilon, ..rows })
    }
}

impl<'a, F: RowFunction, T: RowElement, Y: RowsOutput> Rows<'a, F, T, Y> {
    /// A function without any setting.
    pub(super) fn new(x: Matrix<'a, T>, y: Y) -> Self {
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

    /// The layout of the input.
    pub(super) fn input(&self) -> Layout {
        self.x.layout()
    }

    /// Refuses arguments that do not fit `x`.
    pub(super) fn check(&self) -> Result<(), KernelError> {
        let x = self.x.layout();
        side_by_side("x", x)?;
        self.y.check(x)?;
        self.y.apart_from(self.x.memory(), "x")?;
        if let Some(residual) = &self.residual {
            same_extents("residual", residual.layout(), x)?;
            residual.memory().apart_from("residual", self.x.memory(), "x")?;
            self.y.apart_from(&residual.memory().read(), "residual")?;
        }
        for (name, columns) in [("weight", &self.weight), ("bias", &self.bias)] {
            let Some(columns) = columns else { continue };
            one_for_each(name, columns.len(), x.cols, "column of `x`")?;
            self.y.apart_from(columns, name)?;
            if let Some(residual) = &self.residual {
                residual.memory().apart_from("residual", columns, name)?;
            }
        }
        Ok(())
    }

    /// The shape of the call.
    pub(super) fn shape(&self) -> Shape {
        let residual = self.residual.as_ref();
        let begins = [
            Some(self.x.memory().misalignment()),
            Some(self.y.misalignment()),
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
    }
}

impl<'a, F: RowFunction, T: RowElement> Family<'a> for Rows<'a, F, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = format!("{}, {}", short_name::<F>(), short_name::<T>());
        let Layout { rows, cols, .. } = self.x.layout();
        if rows == 0 || cols == 0 {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let way @ Way { lanes, grid, block, .. } = self.shape().way();
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
        let way = self.shape().way();
        Ok(vec![match way.pack {
            1 => launched::<F, T, T, 1, SINGLE_SLOTS>(self.arguments(1), way, target)?,
            4 => launched::<F, T, Words<T>, 4, PACKED_SLOTS>(self.arguments(4), way, target)?,
            _ => launched::<F, T, Words<T>, 8, PACKED_SLOTS>(self.arguments(8), way, target)?,
        }])
    }
}

/// The arguments of a kernel: memory as elements or packs, whichever an instruction loads.
pub(super) struct Arguments<'a, P, Y> {
    pub(super) x: Input<'a, P>,
    pub(super) residual: Option<Output<'a, P>>,
    pub(super) weight: Option<Input<'a, P>>,
    pub(super) bias: Option<Input<'a, P>>,
    pub(super) y: Y,
    pub(super) extents: Extents,
    pub(super) epsilon: f32,
}

impl<'a, F: RowFunction, T: RowElement, Y: RowsOutput> Rows<'a, F, T, Y> {
    /// The arguments with `pack` elements in each `P`.
    pub(super) fn arguments<P>(self, pack: usize) -> Arguments<'a, P, Y> {
        let stride = |layout: Layout| layout.row_stride / pack;
        let Layout { rows, cols, .. } = self.x.layout();
        let extents = Extents {
            rows,
            packs: cols / pack,
            x_stride: stride(self.x.layout()),
            y_stride: stride(self.y.layout()),
            residual_stride: self.residual.as_ref().map_or(0, |residual| stride(residual.layout())),
        };
        let Self { x, y, residual, weight, bias, epsilon, .. } = self;
        Arguments {
            x: x.memory().values(),
            residual: residual.map(|residual| residual.into_memory().into_values()),
            weight: weight.map(|weight| weight.values()),
            bias: bias.map(|bias| bias.values()),
            y,
            extents,
            epsilon,
        }
    }
}

/// The launch with elements or packs.
fn launched<'a, F: RowFunction, T: RowElement, P: Packed, const N: usize, const SLOTS: usize>(
    arguments: Arguments<'a, P, MatrixMut<'a, T>>,
    way: Way,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Arguments { x, residual, weight, bias, y, extents, epsilon } = arguments;
    let mut y = y.into_memory().into_values::<P>();
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
