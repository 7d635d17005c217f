//! `fft` and `ifft`: their arguments, their plan and their launches.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Complex32;
use super::kernel::fft_tile;
use super::matrices::{Matrices, Passes, in_two_launches};
use super::radix::ELEMENTS;
use super::sequences::Span;
use super::short::{self, ShortRows, fft_short_rows};
use super::ways::{Rows, Tiles, Way, in_packs, of_each};
use crate::argument::{Matrix, MatrixMut, same_extents, side_by_side};
use crate::call::{Call, Family, Plan, Step, Target, step};
use crate::error::KernelError;

/// Bits of the longest rows.
pub(super) const MOST_BITS: u32 = 20;

/// The spectra of the rows of `x`: `y[b, k]` is the sum of `x[b, j] * exp(-2πi * j * k / n)`. `x`, `y`: `[batch, n]`, of any row stride; `n` is
/// a power of two of up to 2^20.
///
/// | setting | each element becomes |
/// |---|---|
/// | [`scale(s)`](Call::scale) | `s` times what it is without |
///
/// Its error relative to the root mean square of the spectrum is at most about 1e-7 times the base-2 logarithm of `n`. The results have the
/// same bits every time.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::fft::{Complex32, fft};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let wave = [1.0, 0.0, -1.0, 0.0].map(|re| Complex32 { re, im: 0.0 });
/// let x = gpu.upload(&wave)?;
/// let mut y = gpu.alloc_zeroed::<Complex32>(4)?;
/// fft(&gpu, matrix(&x, 1, 4)?, matrix_mut(&mut y, 1, 4)?).run()?;
/// let parts: Vec<f32> = gpu.download(&y)?.iter().map(|y| y.re).collect();
/// assert_eq!(parts, [0.0, 2.0, 0.0, 2.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `n` is a power of two of up to 2^20 and `y` has the extents of `x`, with rows that
/// lie side by side; [`KernelError::Overlap`] if they share memory, as the transform is not made in place.
pub fn fft<'a>(device: &Device, x: Matrix<'a, Complex32>, y: MatrixMut<'a, Complex32>) -> Call<'a, Fft<'a>> {
    Call::new(device, Fft { x, y, is_inverse: false, scale: 1.0, workspace: None })
}

/// The rows whose spectra are the rows of `x`: `y[b, j]` is the mean of `x[b, k] * exp(2πi * j * k / n)`, the inverse of [`fft`].
///
/// # Errors
/// Those of [`fft`].
pub fn ifft<'a>(device: &Device, x: Matrix<'a, Complex32>, y: MatrixMut<'a, Complex32>) -> Call<'a, Fft<'a>> {
    let scale = 1.0 / x.layout().cols.max(1) as f32;
    Call::new(device, Fft { x, y, is_inverse: true, scale, workspace: None })
}

/// Transforms of rows with their arguments.
pub struct Fft<'a> {
    pub(super) x: Matrix<'a, Complex32>,
    pub(super) y: MatrixMut<'a, Complex32>,
    pub(super) is_inverse: bool,
    pub(super) scale: f32,
    pub(super) workspace: Option<usize>,
}

/// The settings of a call of these families.
macro_rules! settings {
    ($($family:ident)+) => {$(
        impl<'a> Call<'a, $family<'a>> {
            /// Multiplies each element of `y` by `scale`.
            pub fn scale(self, scale: f32) -> Self {
                self.map(|call| $family { scale: call.scale * scale, ..call })
            }

            /// Sets the bytes of workspace for the rows between two launches, at least those of one row. Default: enough for all rows,
            /// which is fastest, since many rows keep the device busy.
            pub fn workspace(self, bytes: usize) -> Self {
                self.map(|call| $family { workspace: Some(bytes), ..call })
            }
        }
    )+};
}
pub(super) use settings;

settings! { Fft }

impl Fft<'_> {
    fn rows(&self) -> Rows {
        let (x, y) = (self.x.layout(), self.y.layout());
        let in_packs =
            in_packs(self.x.memory().misalignment(), x) && in_packs(self.y.memory().misalignment(), y);
        Rows { batch: x.rows, len: x.cols, in_packs, workspace: self.workspace }
    }

    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        side_by_side("x", x)?;
        same_extents("y", y, x)?;
        let fits = x.cols == 0 || x.cols.is_power_of_two() && x.cols <= 1 << MOST_BITS;
        if !fits {
            return Err(KernelError::Shape {
                what: "x",
                expected: format!("a power of two of them, up to {}", 1 << MOST_BITS),
                got: format!("{} columns", x.cols),
                way_out: "fill rows up with zeros, or transform their parts",
            });
        }
        self.y.memory().apart_from("y", self.x.memory(), "x")
    }
}

impl<'a> Family<'a> for Fft<'a> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = "Complex32".to_owned();
        let (tiles, workspace, why) = match self.rows().way(limits) {
            Way::Nothing => return Ok(Plan::nothing(types, "`y` has no elements")),
            Way::Short { grid } => {
                return Ok(Plan {
                    kernel: "fft_short_rows",
                    types,
                    tile: short::THREADS as usize * ELEMENTS,
                    grid,
                    block: short::THREADS,
                    shared: short::SHARED,
                    workspace: 0,
                    why: "warps take whole rows, and load and store packs of two numbers".to_owned(),
                });
            }
            Way::Rows(tiles) => (tiles, 0, "a block takes whole rows".to_owned()),
            Way::Matrices(matrices) => (
                matrices.columns,
                self.rows().workspace(limits),
                format!(
                    "rows are matrices: their {} columns are transformed, then their rows",
                    1 << matrices.rows.log
                ),
            ),
        };
        Ok(tiles.plan("fft_tile", workspace, why))
    }

    fn steps(self, _plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        Ok(vec![match self.rows().way(target.device.limits()) {
            Way::Nothing => return Ok(Vec::new()),
            Way::Short { grid } => self.by_short_rows(grid, target)?,
            Way::Rows(tiles) => self.by_rows(tiles, target)?,
            Way::Matrices(matrices) => self.by_matrices(matrices, target)?,
        }])
    }
}

impl<'a> Fft<'a> {
    /// One launch, whose warps take rows of packs.
    fn by_short_rows(self, grid: u32, target: &Target) -> Result<Step<'a>, KernelError> {
        let (layout, inverse, factor) = (self.x.layout(), self.is_inverse, self.scale);
        let (log, from, to) = (layout.cols.ilog2(), layout.row_stride / 2, self.y.layout().row_stride / 2);
        let rows = ShortRows { count: layout.rows, from, to, factor };
        let x = self.x.into_memory().packs::<2>().packs;
        let (_, mut y) = self.y.into_memory().packs::<2>();
        Ok(step!(target, (grid, short::THREADS), fft_short_rows(&x, &mut y, rows, log, inverse)))
    }

    /// One launch, whose blocks take whole rows.
    fn by_rows(self, tiles: Tiles, target: &Target) -> Result<Step<'a>, KernelError> {
        let (layout, inverse) = (self.x.layout(), self.is_inverse);
        let (from, to) = (Span::of_rows(layout.row_stride), Span::of_rows(self.y.layout().row_stride));
        let at = tiles.sequences(layout.rows, self.scale, 0.0, from, to);
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        let (grid, threads, bytes) = (tiles.grid, tiles.threads, tiles.shared);
        Ok(of_each!(tiles, N => step!(
            target,
            shared(grid, threads, bytes),
            fft_tile::<N>(&x, &mut y, at, tiles.log, false, false, false, inverse, inverse)
        )))
    }

    /// Two launches: one for the columns of matrices, and one for their rows.
    fn by_matrices(self, matrices: Matrices, target: &Target) -> Result<Step<'a>, KernelError> {
        let (layout, inverse) = (self.x.layout(), self.is_inverse);
        let (batch, at_once) = (layout.rows, self.rows().at_once());
        let passes =
            Passes { matrices, from: layout.row_stride, to: self.y.layout().row_stride, scale: self.scale };
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        let mut spare: Buffer<Complex32> = target.device.alloc_uninit(at_once * layout.cols)?;
        let (down, along) = (matrices.columns.log, matrices.rows.log);
        Ok(in_two_launches!(
            target, passes, batch, at_once,
            at => fft_tile::<ELEMENTS>(&x, &mut spare, at, down, true, true, true, inverse, false),
            at => fft_tile::<ELEMENTS>(&spare, &mut y, at, along, false, true, false, false, inverse),
        ))
    }
}
