//! Cross entropy of rows of logits with one target each, and its gradient.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::function::{Exponentials, RowFunction, Softmax};
use super::lanes::{MOST_THREADS, joined};
use super::packed::{Packed, RowElement, Words, floats, rounded};
use super::plan::{Shape, Way};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, one_for_each, same_extents, side_by_side};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Rows of logits, in elements or packs, whichever an instruction loads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Logits {
    /// Number of rows.
    pub rows: usize,
    /// Packs of a row.
    pub packs: usize,
    /// Packs from one row of logits to the next.
    pub x_stride: usize,
    /// Packs from one row of the gradient to the next.
    pub gradient_stride: usize,
    /// The factor of the gradient.
    pub scale: f32,
}

/// `loss = ln(sum(exp(x))) - x[target]` of each row, with a block a row; and the gradient of `scale * loss`.
///
/// A row is read once for its loss, and once more for its gradient. A target behind the row has no loss and no gradient.
#[gpu_kernel(launch_bounds(MOST_THREADS), noalias)]
pub fn cross_entropy_rows<P: Packed, const N: usize>(
    x: &[P],
    targets: &[u32],
    loss: &mut [f32],
    gradient: &mut [P],
    logits: Logits,
    #[comptime] lanes: u32,
    #[comptime] has_gradient: bool,
) {
    let packs = logits.packs;
    let lane = thread_idx().x as usize;
    let mut row = block_idx().x as usize;
    while row < logits.rows {
        let from = &x[row * logits.x_stride..][..packs];
        let target = targets[row] as usize;
        let is_target = target < packs * N;
        let mut summary = Softmax::nothing();
        #[unroll(4)]
        for i in (lane..packs).step_by(lanes as usize) {
            summary = Softmax::add::<N>(summary, floats::<P, N>(from[i]));
        }
        let all: Exponentials = joined::<Softmax>(summary, lanes);
        if lane == 0 {
            let mut value = 0.0;
            if is_target {
                let at = floats::<P, N>(from[target / N]);
                let mut chosen = 0.0;
                #[unroll]
                for k in 0..N {
                    if k == target % N {
                        chosen = at[k];
                    }
                }
                // The largest first: with large logits, its sum with the logarithm would lose the latter.
                value = all.max - chosen + all.sum.ln();
            }
            loss[row] = value;
        }
        if has_gradient {
            let scale = if is_target { logits.scale } else { 0.0 };
            let facts = Softmax::of_row(all, 0.0, 0.0);
            let to = &mut gradient[row * logits.gradient_stride..][..packs];
            #[unroll(4)]
            for i in (lane..packs).step_by(lanes as usize) {
                let mut values = floats::<P, N>(from[i]);
                #[unroll]
                for k in 0..N {
                    let one = if i * N + k == target { 1.0 } else { 0.0 };
                    values[k] =
                        if is_target { (Softmax::output(facts, values[k]) - one) * scale } else { 0.0 };
                }
                to[i] = rounded::<P, N>(values);
            }
        }
        row += grid_dim().x as usize;
        if row < logits.rows {
            sync_threads();
        }
    }
}

/// `loss = ln(sum(exp(x))) - x[target]` of each row of logits, computed in `f32`.
///
/// `x`: `[rows, cols]`, with any row stride; `targets`, `loss`: `rows` elements. A target of `cols` or more, such as `u32::MAX`, masks
/// its row: the loss is zero. NaN and infinities behave as in [`softmax`](super::softmax()).
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if lengths and extents do not fit or `x` is transposed, [`KernelError::Overlap`] if
/// arguments share memory.
pub fn cross_entropy<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    targets: impl SliceArg<'a, u32>,
    loss: impl SliceMutArg<'a, f32>,
) -> Call<'a, CrossEntropy<'a, T>> {
    let (targets, loss) = (Input::new(targets), Output::new(loss));
    Call::new(device, CrossEntropy { x, targets, loss, gradient: None, scale: 1.0 })
}

/// The cross entropy of each row.
pub struct CrossEntropy<'a, T> {
    x: Matrix<'a, T>,
    targets: Input<'a, u32>,
    loss: Output<'a, f32>,
    gradient: Option<MatrixMut<'a, T>>,
    scale: f32,
}

impl<'a, T: RowElement> Call<'a, CrossEntropy<'a, T>> {
    /// Writes the gradient of each row's loss, `softmax(x)` minus one at the target, to a matrix of the extents of `x`. It is zero in
    /// masked rows.
    pub fn gradient(self, gradient: MatrixMut<'a, T>) -> Self {
        self.map(|entropy| CrossEntropy { gradient: Some(gradient), ..entropy })
    }

    /// Sets the factor of the gradient: `1 / rows` for that of the mean loss. Default: 1.
    pub fn scale(self, scale: f32) -> Self {
        self.map(|entropy| CrossEntropy { scale, ..entropy })
    }
}

impl<T: RowElement> CrossEntropy<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let x = self.x.layout();
        side_by_side("x", x)?;
        one_for_each("targets", self.targets.len(), x.rows, "row of `x`")?;
        one_for_each("loss", self.loss.len(), x.rows, "row of `x`")?;
        self.loss.apart_from("loss", self.x.memory(), "x")?;
        self.loss.apart_from("loss", &self.targets, "targets")?;
        if let Some(gradient) = &self.gradient {
            same_extents("gradient", gradient.layout(), x)?;
            gradient.memory().apart_from("gradient", self.x.memory(), "x")?;
            gradient.memory().apart_from("gradient", &self.targets, "targets")?;
            gradient.memory().apart_from("gradient", &self.loss.read(), "loss")?;
        }
        Ok(())
    }

    fn way(&self) -> Way {
        let gradient = self.gradient.as_ref();
        let layouts = [Some(self.x.layout()), gradient.map(MatrixMut::layout)];
        let begins =
            [Some(self.x.memory().misalignment()), gradient.map(|gradient| gradient.memory().misalignment())];
        Shape {
            layouts: layouts.into_iter().flatten().collect(),
            element: size_of::<T>(),
            is_aligned: begins.into_iter().flatten().all(|begin| begin == Some(0)),
            threads: None,
        }
        .read_twice()
    }
}

impl<'a, T: RowElement> Family<'a> for CrossEntropy<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let Layout { rows, cols, .. } = self.x.layout();
        if rows == 0 {
            return Ok(Plan::nothing(short_name::<T>(), "there are no rows"));
        }
        let Way { grid, block, why, .. } = self.way();
        let how = if self.gradient.is_some() {
            "a row is read twice, for loss and gradient"
        } else {
            "a row is read once"
        };
        Ok(Plan {
            kernel: "cross_entropy_rows",
            types: short_name::<T>(),
            tile: cols,
            grid,
            block,
            shared: (MOST_THREADS / 32) as usize * size_of::<Exponentials>(),
            workspace: 0,
            why: format!("{why}; {how}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let way = self.way();
        let Self { x, targets, loss, gradient, scale } = self;
        let Layout { rows, cols, row_stride, .. } = x.layout();
        let logits = Logits {
            rows,
            packs: cols / way.pack,
            x_stride: row_stride / way.pack,
            gradient_stride: gradient.as_ref().map_or(0, |gradient| gradient.layout().row_stride / way.pack),
            scale,
        };
        let x = x.memory().clone();
        let gradient = gradient.map(MatrixMut::into_memory);
        let in_packs = |gradient: Option<Output<'a, T>>| gradient.map(Output::into_values::<Words<T>>);
        Ok(vec![match way.pack {
            1 => launched::<T, 1>(x, targets, loss, gradient, logits, way, target)?,
            4 => launched::<Words<T>, 4>(x.values(), targets, loss, in_packs(gradient), logits, way, target)?,
            _ => launched::<Words<T>, 8>(x.values(), targets, loss, in_packs(gradient), logits, way, target)?,
        }])
    }
}

/// The launch with elements or packs.
fn launched<'a, P: Packed, const N: usize>(
    x: Input<'a, P>,
    targets: Input<'a, u32>,
    mut loss: Output<'a, f32>,
    gradient: Option<Output<'a, P>>,
    logits: Logits,
    Way { lanes, grid, block, .. }: Way,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let has_gradient = gradient.is_some();
    let mut gradient = gradient.unwrap_or_else(|| loss.nothing().into_values());
    Ok(step!(
        target,
        (grid, block),
        cross_entropy_rows::<P, N>(&x, &targets, &mut loss, &mut gradient, logits, lanes, has_gradient)
    ))
}
