//! Bilateral filters as functions.

use warpsmith::Device;
use warpsmith::driver::Limits;
use warpsmith::prelude::Num;

use super::super::field::Field;
use super::super::layout::{Images, is_wide};
use super::super::sample::Sample;
use super::pixels::{PIXEL_THREADS, bilateral_pixels};
use super::tiles::{AT_ONCE, CHANNELS, Falloff, LANES, PIXELS, RADIUS, TILE_THREADS, bilateral_tiles};
use crate::argument::{Matrix, MatrixMut, same_extents, side_by_side};
use crate::border::Border;
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Rows of a tile, if shared memory is large enough for them.
const ROWS: usize = 32;
/// The greatest radius.
const MOST_RADIUS: usize = 1 << 12;
/// Bytes of shared memory of a block: two share a multiprocessor at least.
const MOST_SHARED: usize = 96 << 10;

/// Writes for each pixel the mean of those in a window around it, weighted by how near and how similar they are:
/// `y[p] = Σ w(p, q) x[q] / Σ w(p, q)` with `w(p, q) = exp(-|p - q|² / (2 space²) - |x[p] - x[q]|² / (2 range²))`.
///
/// `x`, `y`: `[rows, cols]` of `u8`, `f16`, `bf16`, `f32` or `f64`, with any row stride. The window has `2 * radius + 1` rows of as many
/// pixels. `space` is in pixels, `range` in units of samples; for pixels with several samples, `range` applies to their Euclidean distance.
/// Weights are computed and accumulated in `f32` or `f64`; `f32` weights are accurate to two ulp. A NaN in a window makes the result NaN,
/// or 0 for `u8`.
///
/// Source: C. Tomasi and R. Manduchi, Bilateral filtering for gray and color images, 1998.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::images::bilateral;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[10u8, 12, 10, 200, 202, 200])?;
/// let mut y = gpu.alloc_zeroed::<u8>(6)?;
/// bilateral(&gpu, 1, 3.0, 20.0, matrix(&x, 1, 6)?, matrix_mut(&mut y, 1, 6)?).run()?;
/// assert_eq!(gpu.download(&y)?, [11, 11, 11, 201, 201, 201]); // the edge stays
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if `space` or `range` is not above zero, or `radius` above 4096, if the extents differ, a matrix is transposed, or
/// does not have whole images or pixels; [`KernelError::Overlap`] if the matrices share memory.
pub fn bilateral<'a, T: Sample>(
    device: &Device,
    radius: usize,
    space: f64,
    range: f64,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Bilateral<'a, T>> {
    let images = Images::single();
    Call::new(device, Bilateral { x, y, radius, space, range, images, border: Border::Clamp })
}

/// A bilateral filter with its arguments.
pub struct Bilateral<'a, T> {
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
    radius: usize,
    space: f64,
    range: f64,
    images: Images,
    border: Border,
}

impl<'a, T: Sample> Call<'a, Bilateral<'a, T>> {
    /// Sets the values of pixels beyond the edges. Default: [`Border::Clamp`].
    pub fn border(self, border: Border) -> Self {
        self.map(|of| Bilateral { border, ..of })
    }

    /// The rows are those of `count` images below each other. Default: 1.
    pub fn images(self, count: usize) -> Self {
        self.map(|of| Bilateral { images: Images { count, ..of.images }, ..of })
    }

    /// A pixel has `count` interleaved samples. Default: 1.
    pub fn channels(self, count: usize) -> Self {
        self.map(|of| Bilateral { images: Images { channels: count, ..of.images }, ..of })
    }
}

/// Tiles of a block.
#[derive(Clone, Copy)]
struct Tiles {
    rows: usize,
    width: usize,
    shared: usize,
}

impl<T: Sample> Bilateral<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        for (what, value) in [("space", self.space), ("range", self.range)] {
            if value.is_nan() || value <= 0.0 {
                return Err(KernelError::Shape {
                    what,
                    expected: "a number above zero".to_owned(),
                    got: format!("the value {value}"),
                    way_out: "a great one makes all weights alike",
                });
            }
        }
        if self.radius > MOST_RADIUS {
            return Err(KernelError::Shape {
                what: "radius",
                expected: format!("at most {MOST_RADIUS} pixels"),
                got: format!("the value {}", self.radius),
                way_out: "filter a smaller image, from `resize`",
            });
        }
        side_by_side("x", x)?;
        same_extents("y", y, x)?;
        self.images.check("x", x)?;
        self.y.memory().apart_from("y", self.x.memory(), "x")
    }

    /// The results to write; `None` if there are none.
    fn field(&self) -> Option<Field> {
        let mut field = self.images.field(self.x.layout(), self.y.layout())?;
        if self.border == Border::Untouched {
            let edge = [0, self.radius, self.radius.saturating_mul(self.images.channels)];
            field.keep_edges(edge, edge);
        }
        (!field.is_empty()).then_some(field)
    }

    /// The tiles of a block, if its shared memory is large enough for them.
    fn tiles(&self) -> Option<Tiles> {
        let (radius, channels) = (self.radius, self.images.channels);
        if radius > RADIUS || channels > CHANNELS {
            return None;
        }
        let width = LANES * PIXELS + (2 * radius).next_multiple_of(PIXELS);
        let tiles = |rows| Tiles {
            rows,
            width,
            shared: channels * (rows + 2 * radius) * width * size_of::<T::Sum>(),
        };
        [ROWS, ROWS / 2, AT_ONCE].map(tiles).into_iter().find(|tiles| tiles.shared <= MOST_SHARED)
    }

    /// Parts of the field, which a block takes at a time.
    fn parts(&self, field: &Field) -> usize {
        match self.tiles() {
            Some(Tiles { rows, .. }) => {
                let beside = (field.cols / self.images.channels).div_ceil(LANES * PIXELS);
                beside.saturating_mul(field.rows.div_ceil(rows)).saturating_mul(field.planes)
            }
            None => field.results().div_ceil(PIXEL_THREADS as usize),
        }
    }

    /// The factors of squares in exponents of two.
    fn falloff(&self) -> Falloff<T::Sum> {
        // Infinite ones would make NaN of equal samples.
        let factor = |sigma: f64| (-std::f64::consts::LOG2_E / (2.0 * sigma * sigma)).max(-1e38).cast();
        Falloff { space: factor(self.space), range: factor(self.range) }
    }
}

impl<'a, T: Sample> Family<'a> for Bilateral<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        let Some(field) = self.field() else {
            return Ok(Plan::nothing(types, "there are no results"));
        };
        let side = 2 * self.radius + 1;
        let (kernel, block, tile, shared, why) = match self.tiles() {
            Some(Tiles { rows, shared, .. }) => {
                let tile = rows * LANES * PIXELS * self.images.channels;
                ("bilateral_tiles", TILE_THREADS, tile, shared, "windows in shared memory")
            }
            None => {
                let why = "shared memory is too small for the windows";
                ("bilateral_pixels", PIXEL_THREADS, PIXEL_THREADS as usize, 0, why)
            }
        };
        Ok(Plan {
            kernel,
            types,
            tile,
            grid: self.parts(&field).min(MOST_BLOCKS) as u32,
            block,
            shared,
            workspace: 0,
            why: format!("{side} × {side} pixels for each; {why}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let Some(field) = self.field() else { return Ok(Vec::new()) };
        let (grid, parts, falloff, tiles) = (plan.grid, self.parts(&field), self.falloff(), self.tiles());
        let (radius, channels, border) = (self.radius, self.images.channels, self.border);
        let is_wide = is_wide(&self.x, &self.y);
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        Ok(vec![match tiles {
            Some(Tiles { rows, width, .. }) => step!(
                target,
                (grid, TILE_THREADS),
                bilateral_tiles::<T>(
                    &x, &mut y, field, falloff, parts, radius, channels, rows, width, border, is_wide
                )
            ),
            None => step!(
                target,
                (grid, PIXEL_THREADS),
                bilateral_pixels::<T>(&x, &mut y, field, falloff, radius, channels, border)
            ),
        }])
    }
}
