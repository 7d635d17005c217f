//! Separable convolutions as functions.

use warpsmith::driver::Limits;
use warpsmith::prelude::Num;
use warpsmith::{Buffer, Device};

use super::super::field::Field;
use super::super::layout::{Images, copied, is_wide, neighbours};
use super::super::march::{self, ROWS, STEPS, THREADS, row_of_ring, rows_of_chunks};
use super::super::sample::Sample;
use super::lines::{LINE_THREADS, convolve_line};
use super::rows::{FARTHEST, Factors, MOST_WEIGHTS, convolve_rows};
use crate::argument::{Input, Matrix, MatrixMut, Output, same_extents, side_by_side};
use crate::border::Border;
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Writes each pixel's neighbours, weighted by row and by column:
/// `y[r, c] = Σ down[i] * across[j] * x[r + i - down.len() / 2, c + j - across.len() / 2]`.
///
/// `x`, `y`: `[rows, cols]` of `u8`, `f16`, `bf16`, `f32` or `f64`, with any row stride. `down`, `across`: odd numbers of weights, which
/// are not reversed. Products are accumulated in `f32` or `f64`, and rounded once. With more than 33 weights, or with a sample more than
/// 16 away from a result, the sums of rows are rounded, too.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::images::convolve;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[0u8, 0, 255, 0])?;
/// let mut y = gpu.alloc_zeroed::<u8>(4)?;
/// let blur = [0.25, 0.5, 0.25];
/// convolve(&gpu, &[1.0], &blur, matrix(&x, 1, 4)?, matrix_mut(&mut y, 1, 4)?).run()?;
/// assert_eq!(gpu.download(&y)?, [0, 64, 128, 64]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if a number of weights is even, if the extents differ, a matrix is transposed, or does
/// not have whole images or pixels; [`KernelError::Overlap`] if the matrices share memory.
pub fn convolve<'a, T: Sample>(
    device: &Device,
    down: &[f64],
    across: &[f64],
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Convolution<'a, T>> {
    let images = Images::single();
    let weights = [down.to_vec(), across.to_vec()];
    Call::new(device, Convolution { x, y, weights, images, border: Border::Clamp })
}

/// A separable convolution with its arguments.
pub struct Convolution<'a, T> {
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
    weights: [Vec<f64>; 2],
    images: Images,
    border: Border,
}

impl<'a, T: Sample> Call<'a, Convolution<'a, T>> {
    /// Sets the values of pixels beyond the edges. Default: [`Border::Clamp`].
    pub fn border(self, border: Border) -> Self {
        self.map(|of| Convolution { border, ..of })
    }

    /// The rows are those of `count` stacked images, for example colour planes. Default: 1.
    pub fn images(self, count: usize) -> Self {
        self.map(|of| Convolution { images: Images { count, ..of.images }, ..of })
    }

    /// A pixel has `count` interleaved samples. Default: 1.
    pub fn channels(self, count: usize) -> Self {
        self.map(|of| Convolution { images: Images { channels: count, ..of.images }, ..of })
    }
}

impl<T: Sample> Convolution<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        for (what, weights) in ["down", "across"].into_iter().zip(&self.weights) {
            if weights.len().is_multiple_of(2) {
                return Err(KernelError::Shape {
                    what,
                    expected: "an odd number, that of the result's own place in the middle".to_owned(),
                    got: format!("{} weights", weights.len()),
                    way_out: "add a zero at one end",
                });
            }
        }
        side_by_side("x", x)?;
        same_extents("y", y, x)?;
        self.images.check("x", x)?;
        self.y.memory().apart_from("y", self.x.memory(), "x")
    }

    /// Rows above and below a result, and pixels on either side, that have a share in it.
    fn radius(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.weights[axis].len() / 2)
    }

    /// Whether a thread has all weights and sums.
    fn is_near(&self) -> bool {
        let [down, across] = self.radius();
        down <= FARTHEST && across.saturating_mul(self.images.channels) <= FARTHEST
    }

    /// Samples of a row of the ring.
    fn width(&self) -> usize {
        let samples = self.radius()[1].saturating_mul(self.images.channels);
        row_of_ring::<T>(neighbours::<T>(), samples)
    }

    /// The results to write; `None` if there are none.
    fn field(&self) -> Option<Field> {
        let [down, across] = self.radius();
        let samples = across.saturating_mul(self.images.channels);
        let mut field = self.images.field(self.x.layout(), self.y.layout())?;
        if self.border == Border::Untouched {
            field.keep_edges([0, down, samples], [0, down, samples]);
        }
        if field.is_empty() {
            return None;
        }
        if self.is_near() {
            field.chunk = rows_of_chunks(down);
        }
        Some(field)
    }

    /// Bytes of the sums of rows, where there is a launch for each axis.
    fn workspace(&self) -> usize {
        let x = self.x.layout();
        if self.is_near() { 0 } else { x.rows.saturating_mul(x.cols).saturating_mul(size_of::<T::Sum>()) }
    }
}

impl<'a, T: Sample> Family<'a> for Convolution<'a, T> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        let Some(field) = self.field() else {
            return Ok(Plan::nothing(types, "there are no results"));
        };
        let [down, across] = self.weights.each_ref().map(Vec::len);
        let (kernel, block, tile, parts) = if self.is_near() {
            let beside = THREADS as usize * neighbours::<T>();
            ("convolve_rows", THREADS, beside * field.chunk, march::parts(&field, neighbours::<T>()))
        } else {
            let parts = field.results().div_ceil(LINE_THREADS as usize);
            ("convolve_line", LINE_THREADS, LINE_THREADS as usize, parts)
        };
        Ok(Plan {
            kernel,
            types,
            tile,
            grid: parts.min(MOST_BLOCKS) as u32,
            block,
            shared: if self.is_near() { STEPS * ROWS * self.width() * size_of::<T>() } else { 0 },
            workspace: self.workspace(),
            why: match self.is_near() {
                true => {
                    format!("{down} rows of {across} pixels at once; copies of {} bytes", copied(&self.x))
                }
                false => format!(
                    "{across} pixels, and then {down} rows: they are more than a thread has registers for"
                ),
            },
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let Some(field) = self.field() else { return Ok(Vec::new()) };
        // The condition is a constant: rustc compiles the kernels of one branch only.
        Ok(vec![if !self.is_near() {
            one_after_the_other(self, field, plan.grid, target)?
        } else if const { size_of::<T>() == 8 } {
            at_once::<T, 2, 17>(self, field, plan.grid, target)?
        } else {
            at_once::<T, 4, 9>(self, field, plan.grid, target)?
        }])
    }
}

/// The launch that does both axes.
fn at_once<'a, T: Sample, const N: usize, const LOADS: usize>(
    of: Convolution<'a, T>,
    field: Field,
    grid: u32,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let [radius, reach] = of.radius();
    let padded = |weights: &[f64]| {
        let mut all = [T::Sum::ZERO; MOST_WEIGHTS];
        for (to, weight) in all.iter_mut().zip(weights) {
            *to = weight.cast();
        }
        all
    };
    let factors = Factors { down: padded(&of.weights[0]), across: padded(&of.weights[1]) };
    let (parts, border, channels) = (march::parts(&field, N), of.border, of.images.channels);
    let (copied, width, is_wide) = (copied(&of.x), of.width(), is_wide(&of.x, &of.y));
    let (x, mut y) = (of.x.into_memory(), of.y.into_memory());
    Ok(step!(
        target,
        (grid, THREADS),
        convolve_rows::<T, N, LOADS>(
            &x, &mut y, field, factors, parts, radius, reach, channels, width, copied, border, is_wide
        )
    ))
}

/// The launches for one axis and then the other.
fn one_after_the_other<'a, T: Sample>(
    of: Convolution<'a, T>,
    field: Field,
    grid: u32,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (border, channels) = (of.border, of.images.channels);
    let down: Vec<<T::Sum as Sample>::Sum> = of.weights[0].iter().map(|weight| weight.cast()).collect();
    let across: Vec<T::Sum> = of.weights[1].iter().map(|weight| weight.cast()).collect();
    let (down, across) = (target.device.upload(&down)?, target.device.upload(&across)?);
    let mut sums: Buffer<T::Sum> = target.device.alloc_zeroed(field.planes * field.rows * field.cols)?;
    let (x, mut y): (Input<'a, T>, Output<'a, T>) = (of.x.into_memory(), of.y.into_memory());
    let mut of_rows = field;
    (of_rows.first[1], of_rows.end[1], of_rows.y_stride) = (0, field.rows, field.cols);
    let mut of_cols = field;
    of_cols.x_stride = field.cols;
    let block = LINE_THREADS;
    macro_rules! along_rows {
        () => {
            convolve_line::<T, T::Sum>(&x, &mut sums, of_rows, &across, channels, border, false)
        };
    }
    macro_rules! along_cols {
        () => {
            convolve_line::<T::Sum, T>(&sums, &mut y, of_cols, &down, channels, border, true)
        };
    }
    let first = target.prepare(along_rows!().grid(grid).block(block))?;
    let second = target.prepare(along_cols!().grid(grid).block(block))?;
    Ok(Step::new(move || {
        first.launch(along_rows!())?;
        Ok(second.launch(along_cols!())?)
    }))
}
