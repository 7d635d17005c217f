//! `reduce`: all elements of a slice, along an axis, or the rows of a matrix.

use std::marker::PhantomData;

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::{Buffer, Device};

use super::Reduction;
use super::block::{THREADS, WARPS};
use super::columns::reduce_columns;
use super::plan::{ByColumns, Choice, Elements, Shape};
use super::rows::{Rows, reduce_rows as rows_kernel, reduce_short_rows as short_rows_kernel};
use crate::argument::{Input, Layout, Matrix, Output, Packs};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Reduces all elements of `x` to the one element of `y`. `x` may have any length and alignment.
///
/// The result for an empty `x` is the output of [`Reduction::nothing`].
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::reduction::{ArgMax, Mean, reduce};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[1.0f32, 5.0, 3.0, 5.0, 1.0, 0.0])?;
/// let mut at = gpu.alloc_zeroed::<u64>(1)?;
/// reduce::<ArgMax<f32>>(&gpu, &x, &mut at).run()?;
/// assert_eq!(gpu.download(&at)?, [1]);
/// let mut means = gpu.alloc_zeroed::<f32>(2)?;
/// reduce::<Mean<f32>>(&gpu, &x, &mut means).axis(&[3, 2], 0).run()?;
/// assert_eq!(gpu.download(&means)?, [5.0 / 3.0, 10.0 / 3.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `y` does not have one element for each result.
pub fn reduce<'a, R: Reduction>(
    device: &Device,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Reduce<'a, R>> {
    let (x, y) = (Input::new(x), Output::new(y));
    Call::new(device, Reduce { x, y, asked: Asked::Whole, blocks: None, _reduction: PhantomData })
}

/// Reduces each row of `x` to an element of `y`.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `y` does not have one element for each row.
pub fn reduce_rows<'a, R: Reduction>(
    device: &Device,
    x: Matrix<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Reduce<'a, R>> {
    let (layout, y) = (x.layout(), Output::new(y));
    let (x, asked) = (x.memory().clone(), Asked::Rows(layout));
    Call::new(device, Reduce { x, y, asked, blocks: None, _reduction: PhantomData })
}

/// A reduction with its arguments.
pub struct Reduce<'a, R: Reduction> {
    x: Input<'a, R::Element>,
    y: Output<'a, R::Output>,
    asked: Asked,
    blocks: Option<u32>,
    _reduction: PhantomData<R>,
}

/// The part of `x` that makes up a result.
enum Asked {
    Whole,
    Axis(Vec<usize>, usize),
    Rows(Layout),
}

impl<'a, R: Reduction> Call<'a, Reduce<'a, R>> {
    /// Reduces one axis of `x`, a dense row-major array with the extents `dims`. `y` has the other extents, in their order.
    pub fn axis(self, dims: &[usize], axis: usize) -> Self {
        let asked = Asked::Axis(dims.to_vec(), axis);
        self.map(|reduce| Reduce { asked, ..reduce })
    }

    /// Blocks for each result, at least one. Default: as many as keep the device's memory busy.
    ///
    /// The order in which floats are added depends on this number, and so may the last bits of the result.
    pub fn blocks(self, blocks: u32) -> Self {
        self.map(|reduce| Reduce { blocks: Some(blocks.max(1)), ..reduce })
    }
}

impl<R: Reduction> Reduce<'_, R> {
    /// The shape, checked against the arguments, and the kernel for it.
    fn choose(&self, limits: &Limits) -> Result<(Shape, Choice), KernelError> {
        let shape = match &self.asked {
            Asked::Whole => Shape::whole(self.x.len()),
            Asked::Axis(dims, axis) => Shape::axis(dims, *axis, self.x.len())?,
            Asked::Rows(layout) => Shape::rows(*layout),
        };
        if self.y.len() != shape.outputs() {
            return Err(KernelError::Shape {
                what: "y",
                expected: format!("{}, one for each result", shape.outputs()),
                got: format!("{} elements", self.y.len()),
                way_out: "pass a buffer of that length, or a part: `y.slice_mut(..n)?`",
            });
        }
        self.y.apart_from("y", &self.x, "x")?;
        let elements = Elements { size: size_of::<R::Element>(), misalignment: self.x.misalignment() };
        Ok((shape, shape.choose(elements, limits, self.blocks)))
    }
}

impl<'a, R: Reduction> Family<'a> for Reduce<'a, R> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let (shape, choice) = self.choose(limits)?;
        let types = short_name::<R>();
        let (kernel, shared, why) = match choice {
            Choice::Nothing => return Ok(Plan::nothing(types, "there is no result")),
            Choice::Lanes { lanes, .. } => (
                "reduce_short_rows",
                0,
                format!("rows of {} elements are short enough for {lanes} lanes each", shape.n),
            ),
            Choice::Blocks { splits: 1, .. } => {
                ("reduce_rows", WARPS as usize, "a block for each row".to_owned())
            }
            Choice::Blocks { splits, .. } => (
                "reduce_rows",
                WARPS as usize,
                format!("{splits} blocks share a row, and the last joins their results"),
            ),
            Choice::Columns(ByColumns { at, in_packs, .. }) => {
                let loads = if in_packs { "16 bytes of neighbouring columns" } else { "one column" };
                let why =
                    format!("the axis is not the last: {loads} a thread, {} blocks a column", at.splits);
                ("reduce_columns", THREADS as usize, why)
            }
        };
        let (partials, counters) = choice.workspace(shape.outputs());
        let partial = size_of::<R::Partial>();
        let elements = shape.outputs().saturating_mul(shape.n);
        Ok(Plan {
            kernel,
            types,
            tile: elements.div_ceil(choice.grid().max(1) as usize),
            grid: choice.grid(),
            block: THREADS,
            shared: shared * partial + if partials > 0 { size_of::<u32>() } else { 0 },
            workspace: partials * partial + counters * size_of::<u32>(),
            why,
        })
    }

    fn steps(self, _plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let (shape, choice) = self.choose(target.device.limits())?;
        // The conditions are constants: rustc compiles the kernels of one branch only.
        match choice {
            Choice::Columns(columns) if !columns.in_packs => Ok(vec![self.by_columns::<1>(columns, target)?]),
            _ if const { size_of::<R::Element>() == 1 } => self.by_packs::<16>(shape, choice, target),
            _ if const { size_of::<R::Element>() == 2 } => self.by_packs::<8>(shape, choice, target),
            _ if const { size_of::<R::Element>() == 4 } => self.by_packs::<4>(shape, choice, target),
            _ if const { size_of::<R::Element>() == 8 } => self.by_packs::<2>(shape, choice, target),
            _ => self.by_packs::<1>(shape, choice, target),
        }
    }
}

impl<'a, R: Reduction> Reduce<'a, R> {
    /// The launch of the chosen kernel for packs of `N` elements.
    fn by_packs<const N: usize>(
        self,
        shape: Shape,
        choice: Choice,
        target: &Target,
    ) -> Result<Vec<Step<'a>>, KernelError> {
        let at = (choice.grid(), THREADS);
        let rows = |head| Rows { rows: shape.outer, cols: shape.n, stride: shape.outer_stride, head };
        Ok(vec![match choice {
            Choice::Nothing => return Ok(Vec::new()),
            Choice::Columns(columns) => self.by_columns::<N>(columns, target)?,
            Choice::Lanes { lanes, .. } => {
                let Reduce { x, mut y, .. } = self;
                let Packs { head, packs } = x.packs::<N>();
                let rows = rows(head);
                step!(target, at, short_rows_kernel::<R, N>(&x, &packs, rows, lanes, &mut y))
            }
            Choice::Blocks { splits, .. } => {
                let Reduce { x, mut y, .. } = self;
                let Packs { head, packs } = x.packs::<N>();
                let rows = rows(head);
                let mut workspace = Workspace::<R>::new(choice.workspace(shape.outputs()), target)?;
                step!(
                    target,
                    at,
                    rows_kernel::<R, N>(
                        &x,
                        &packs,
                        rows,
                        splits,
                        &mut workspace.partials,
                        &mut workspace.arrived,
                        &mut y
                    )
                )
            }
        }])
    }

    /// The launch of the kernel for columns: a thread takes `N`.
    fn by_columns<const N: usize>(
        self,
        columns: ByColumns,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let Reduce { x, mut y, .. } = self;
        let packs = x.packs::<N>().packs;
        let ByColumns { at, grid, .. } = columns;
        let mut workspace = Workspace::<R>::new(columns.workspace(y.len()), target)?;
        Ok(step!(
            target,
            (grid, THREADS),
            reduce_columns::<R, N>(&x, &packs, at, &mut workspace.partials, &mut workspace.arrived, &mut y)
        ))
    }
}

/// Partial results and arrival counters of blocks that share a result; empty if no blocks do.
struct Workspace<R: Reduction> {
    partials: Buffer<R::Partial>,
    arrived: Buffer<u32>,
}

impl<R: Reduction> Workspace<R> {
    fn new((partials, counters): (usize, usize), target: &Target) -> Result<Self, KernelError> {
        let device = &target.device;
        Ok(Self { partials: device.alloc_zeroed(partials)?, arrived: device.alloc_zeroed(counters)? })
    }
}
