//! Images of another size as functions.

use warpsmith::Device;
use warpsmith::driver::Limits;

use super::super::layout::{Images, is_wide, neighbours};
use super::super::sample::Sample;
use super::points::{Interpolation, Scale};
use super::rows::{CHUNK, Scaling, THREADS, resize_rows};
use crate::argument::{Matrix, MatrixMut, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Writes the image at another size, as PyTorch's `interpolate` does with `align_corners=False`.
///
/// `x`: `[rows, cols]`, `y`: `[new rows, new cols]` of `u8`, `f16`, `bf16`, `f32` or `f64`, with any row stride. Pixel centres are at
/// half-integers, and pixels beyond the edges are clamped. Products are accumulated in `f32` or `f64`, and rounded once. There is no
/// anti-aliasing: smooth with [`convolve`](super::super::convolve) before downscaling.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::images::{Interpolation, resize};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[0.0f32, 4.0])?;
/// let mut y = gpu.alloc_zeroed::<f32>(4)?;
/// resize(&gpu, Interpolation::Bilinear, matrix(&x, 1, 2)?, matrix_mut(&mut y, 1, 4)?).run()?;
/// assert_eq!(gpu.download(&y)?, [0.0, 1.0, 3.0, 4.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if `x` is empty and `y` is not, or if a matrix is transposed, or does not have whole images
/// or pixels; [`KernelError::Overlap`] if the matrices share memory.
pub fn resize<'a, T: Sample>(
    device: &Device,
    method: Interpolation,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Resize<'a, T>> {
    Call::new(device, Resize { x, y, method, images: Images::single() })
}

/// A change of an image's size with its arguments.
pub struct Resize<'a, T> {
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
    method: Interpolation,
    images: Images,
}

impl<'a, T: Sample> Call<'a, Resize<'a, T>> {
    /// The rows of both matrices are those of `count` stacked images, for example colour planes. Default: 1.
    pub fn images(self, count: usize) -> Self {
        self.map(|of| Resize { images: Images { count, ..of.images }, ..of })
    }

    /// A pixel has `count` interleaved samples. Default: 1.
    pub fn channels(self, count: usize) -> Self {
        self.map(|of| Resize { images: Images { channels: count, ..of.images }, ..of })
    }
}

impl<T: Sample> Resize<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        side_by_side("x", x)?;
        side_by_side("y", y)?;
        self.images.check("x", x)?;
        self.images.check("y", y)?;
        let is_empty = x.rows == 0 || x.cols == 0;
        if is_empty && y.rows > 0 && y.cols > 0 {
            return Err(KernelError::Shape {
                what: "x",
                expected: "a pixel at least".to_owned(),
                got: format!("{} rows and {} columns", x.rows, x.cols),
                way_out: "no image can be made of none",
            });
        }
        self.y.memory().apart_from("y", self.x.memory(), "x")
    }

    /// The images; `None` if there are none.
    fn scaling(&self) -> Option<Scaling> {
        let (x, y, Images { count, channels, .. }) = (self.x.layout(), self.y.layout(), self.images);
        if y.rows == 0 || y.cols == 0 {
            return None;
        }
        Some(Scaling {
            images: count,
            rows: Scale { from: x.rows / count, to: y.rows / count },
            pixels: Scale { from: x.cols / channels, to: y.cols / channels },
            channels,
            x_stride: x.row_stride,
            y_stride: y.row_stride,
        })
    }

    /// Parts of the output, which a block takes at a time.
    fn parts(&self, of: &Scaling) -> usize {
        let beside = self.y.layout().cols.div_ceil(THREADS as usize * neighbours::<T>());
        beside.saturating_mul(of.rows.to.div_ceil(CHUNK)).saturating_mul(of.images)
    }
}

impl<'a, T: Sample> Family<'a> for Resize<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        let Some(of) = self.scaling() else {
            return Ok(Plan::nothing(types, "there are no results"));
        };
        let taps = taps(self.method);
        let access = if is_wide(&self.x, &self.y) { "several samples" } else { "one sample" };
        Ok(Plan {
            kernel: "resize_rows",
            types,
            tile: THREADS as usize * neighbours::<T>() * CHUNK,
            grid: self.parts(&of).min(MOST_BLOCKS) as u32,
            block: THREADS,
            shared: CHUNK * (size_of::<isize>() + taps * size_of::<T::Sum>()),
            workspace: 0,
            why: format!("{taps} × {taps} pixels for each; stores of {access}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let Some(of) = self.scaling() else { return Ok(Vec::new()) };
        // The condition is a constant: rustc compiles the kernels of one branch only.
        Ok(vec![if const { size_of::<T>() == 8 } {
            by_method::<T, 2>(self, of, plan.grid, target)?
        } else {
            by_method::<T, 4>(self, of, plan.grid, target)?
        }])
    }
}

/// Pixels along an axis that have a share in a result.
fn taps(method: Interpolation) -> usize {
    match method {
        Interpolation::Nearest => 1,
        Interpolation::Bilinear => 2,
        Interpolation::Bicubic => 4,
    }
}

/// The launch of a method.
fn by_method<'a, T: Sample, const N: usize>(
    resize: Resize<'a, T>,
    of: Scaling,
    grid: u32,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (parts, is_wide, method) = (resize.parts(&of), is_wide(&resize.x, &resize.y), resize.method);
    let (x, mut y) = (resize.x.into_memory(), resize.y.into_memory());
    macro_rules! launched {
        ($taps:literal) => {
            step!(target, (grid, THREADS), resize_rows::<T, N, $taps>(&x, &mut y, of, parts, method, is_wide))
        };
    }
    Ok(match method {
        Interpolation::Nearest => launched!(1),
        Interpolation::Bilinear => launched!(2),
        Interpolation::Bicubic => launched!(4),
    })
}
