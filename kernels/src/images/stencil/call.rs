//! Stencils as functions.

use warpsmith::Device;
use warpsmith::driver::Limits;
use warpsmith::prelude::Num;

use super::super::field::{Field, Plane, SIDE};
use super::super::layout::{Images, is_wide, neighbours};
use super::super::plan::chunk;
use super::super::sample::Sample;
use super::cells::{CELLS, CUBE, OF_CUBE, OF_ROW, Weights};
use super::offsets::{TAP_THREADS, Tap, stencil_taps};
use super::planes::{LANES, PLANE_ROWS, PLANE_THREADS, stencil_planes};
use super::rows::{ROW_THREADS, TILE_ROWS, stencil_rows};
use super::taps::Taps;
use crate::argument::{Matrix, MatrixMut, same_extents, side_by_side};
use crate::border::Border;
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Blocks that march along planes and share a multiprocessor.
const RESIDENT: usize = 2;

/// Writes weighted sums of neighbours in a plane: `y[r, c] = Σ weight * x[r + row, c + col]` over the offsets `[row, col]` of `taps`.
///
/// `x`, `y`: `[rows, cols]` of `f32`, `f64`, `f16`, `bf16` or `u8`, of any stride between rows. The products of an element are added in
/// the order of [`Taps::iter`], in `f32` or `f64`. An offset that is not listed has no share, even of a NaN.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::images::{Border, Taps, stencil2d};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[1.0f32, 2.0, 4.0, 8.0])?;
/// let mut y = gpu.alloc_zeroed::<f32>(4)?;
/// let difference = Taps::from([([0, 1], 1.0), ([0, 0], -1.0)]);
/// stencil2d(&gpu, &difference, matrix(&x, 1, 4)?, matrix_mut(&mut y, 1, 4)?).border(Border::Zero).run()?;
/// assert_eq!(gpu.download(&y)?, [1.0, 2.0, 4.0, -8.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the extents differ, a matrix is transposed, or the rows are not those of a whole
/// number of images; [`KernelError::Overlap`] if the matrices share memory.
pub fn stencil2d<'a, T: Sample>(
    device: &Device,
    taps: &Taps<2>,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Stencil<'a, T>> {
    let taps = taps.iter().map(|([row, col], weight)| ([0, row, col], weight)).collect();
    let images = Images::single();
    Call::new(device, Stencil { x, y, taps, images, is_flat: true, border: Border::Clamp })
}

/// Writes weighted sums of neighbours in three dimensions, over the offsets `[plane, row, col]` of `taps`.
///
/// `x`, `y`: `[planes * rows, cols]`, planes below each other, of any stride between rows. Otherwise as [`stencil2d`].
///
/// # Errors
/// Those of [`stencil2d`].
pub fn stencil3d<'a, T: Sample>(
    device: &Device,
    taps: &Taps<3>,
    planes: usize,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Stencil<'a, T>> {
    let images = Images { count: planes, what: "planes", channels: 1 };
    Call::new(
        device,
        Stencil { x, y, taps: taps.iter().collect(), images, is_flat: false, border: Border::Clamp },
    )
}

/// A stencil with its arguments.
pub struct Stencil<'a, T> {
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
    taps: Vec<([i32; 3], f64)>,
    images: Images,
    is_flat: bool,
    border: Border,
}

impl<'a, T: Sample> Call<'a, Stencil<'a, T>> {
    /// What stands for samples beyond the edges. Default: [`Border::Clamp`].
    pub fn border(self, border: Border) -> Self {
        self.map(|stencil| Stencil { border, ..stencil })
    }

    /// The rows are those of `count` images below each other, or of as many planes in three dimensions. Default: 1.
    pub fn images(self, count: usize) -> Self {
        self.map(|stencil| Stencil { images: Images { count, ..stencil.images }, ..stencil })
    }
}

/// Tiles of planes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tiles {
    plane: Plane,
    /// Beside and below each other in a plane.
    tiles: [u32; 2],
    /// In all planes.
    all: usize,
}

/// The kernel for a stencil.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// A tile of a plane in each block.
    Rows { radius: usize, tiles: Tiles },
    /// Along planes.
    Planes { radius: usize, is_star: bool },
    /// One offset after the other.
    Taps,
}

/// Cells with their weights.
struct Cells {
    weights: [f64; CELLS],
    /// A bit for each of the first 64 cells, and of the others.
    bits: [u64; 2],
}

impl<T: Sample> Stencil<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        side_by_side("x", x)?;
        same_extents("y", y, x)?;
        self.images.check("x", x)?;
        self.y.memory().apart_from("y", self.x.memory(), "x")
    }

    /// The least and the greatest offset along an axis.
    fn reach(&self, axis: usize) -> (usize, usize) {
        let offsets = || self.taps.iter().map(|(place, _)| place[axis]);
        let least = offsets().min().unwrap_or(0).min(0);
        (least.unsigned_abs() as usize, offsets().max().unwrap_or(0).max(0) as usize)
    }

    /// The way for these offsets: the only table of the family.
    fn way(&self) -> Way {
        let radius = (0..3).map(|axis| self.reach(axis)).map(|(low, high)| low.max(high)).max().unwrap_or(0);
        let is_star =
            self.taps.iter().all(|(place, _)| place.iter().filter(|offset| **offset != 0).count() <= 1);
        if let (..=SIDE, Some(tiles)) = (radius, self.tiles()) {
            return Way::Rows { radius, tiles };
        }
        match (self.is_flat, radius) {
            (false, ..=SIDE) if is_star => Way::Planes { radius, is_star },
            (false, ..=CUBE) => Way::Planes { radius, is_star },
            _ => Way::Taps,
        }
    }

    /// The results to write; `None` if there are none.
    fn results(&self) -> Option<Field> {
        let mut field = self.images.field(self.x.layout(), self.y.layout())?;
        if self.border == Border::Untouched {
            let reach = [0, 1, 2].map(|axis| self.reach(axis));
            field.keep_edges(reach.map(|(low, _)| low), reach.map(|(_, high)| high));
        }
        (!field.is_empty()).then_some(field)
    }

    /// The results, and how many planes a block takes one after the other.
    fn field(&self, limits: &Limits) -> Option<Field> {
        let field = self.results()?;
        let chunk = match self.way() {
            Way::Planes { radius, .. } => {
                chunk(limits, field.planes, across::<T>(&field), 2 * radius, RESIDENT)
            }
            Way::Rows { .. } | Way::Taps => 1,
        };
        Some(Field { chunk, ..field })
    }

    /// The tiles of all planes, if their number and all places in a plane fit 31 bits.
    fn tiles(&self) -> Option<Tiles> {
        let field = self.results().filter(|_| self.is_flat)?;
        let plane = Plane::of(field)?;
        let tiles =
            [plane.cols.div_ceil(32 * neighbours::<T>() as u32), plane.rows.div_ceil(TILE_ROWS as u32)];
        let all = tiles.iter().try_fold(field.planes, |all, more| all.checked_mul(*more as usize))?;
        (all <= MOST_BLOCKS).then_some(Tiles { plane, tiles, all })
    }

    /// Parts of the field, which a block takes at a time.
    fn parts(&self, field: &Field) -> usize {
        match self.way() {
            Way::Rows { tiles, .. } => tiles.all,
            Way::Planes { .. } => across::<T>(field).saturating_mul(field.planes.div_ceil(field.chunk)),
            Way::Taps => field.results().div_ceil(TAP_THREADS as usize),
        }
    }

    /// Bytes of the tiles of a block.
    fn shared(&self) -> usize {
        let (n, size) = (neighbours::<T>(), size_of::<T::Neighbours>());
        let sides = 2 * SIDE / n;
        match self.way() {
            Way::Rows { radius, .. } => (32 + sides) * (TILE_ROWS + 2 * radius) * size,
            Way::Planes { radius, .. } => 2 * (LANES + sides) * (PLANE_ROWS + 2 * radius) * size,
            Way::Taps => 0,
        }
    }

    /// The cells of the way.
    fn cells(&self) -> Cells {
        let way = self.way();
        let mut cells = Cells { weights: [0.0; CELLS], bits: [0; 2] };
        for (place, weight) in &self.taps {
            let [plane, row, col] = place.map(|offset| offset as isize);
            let cell = match way {
                Way::Planes { is_star: true, .. } => {
                    let axis = if row != 0 {
                        1
                    } else if col != 0 {
                        2
                    } else {
                        0
                    };
                    (axis * OF_ROW as isize) + plane + row + col + SIDE as isize
                }
                Way::Planes { .. } => {
                    let (side, centre) = (OF_CUBE as isize, CUBE as isize);
                    ((plane + centre) * side + row + centre) * side + col + centre
                }
                _ => (row + SIDE as isize) * OF_ROW as isize + col + SIDE as isize,
            } as usize;
            cells.weights[cell] = *weight;
            cells.bits[cell / 64] |= 1 << (cell % 64);
        }
        cells
    }
}

/// Blocks that march along planes beside each other.
fn across<T: Sample>(field: &Field) -> usize {
    field.cols.div_ceil(LANES * neighbours::<T>()).saturating_mul(field.rows.div_ceil(PLANE_ROWS))
}

impl<'a, T: Sample> Family<'a> for Stencil<'a, T> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        let Some(field) = self.field(limits) else {
            return Ok(Plan::nothing(types, "there are no results"));
        };
        let (kernel, block, across, why) = match self.way() {
            Way::Rows { radius, .. } => {
                let why = format!("offsets of up to {radius} in a plane");
                ("stencil_rows", ROW_THREADS, TILE_ROWS * 32 * neighbours::<T>(), why)
            }
            Way::Planes { radius, is_star } => {
                let shape = if is_star { "along the axes" } else { "in a cube" };
                let across = PLANE_ROWS * LANES * neighbours::<T>();
                ("stencil_planes", PLANE_THREADS, across, format!("offsets of up to {radius} {shape}"))
            }
            Way::Taps => {
                let why = "offsets farther than the others have registers for".to_owned();
                ("stencil_taps", TAP_THREADS, TAP_THREADS as usize, why)
            }
        };
        let access = if is_wide(&self.x, &self.y) { "several samples" } else { "one sample" };
        Ok(Plan {
            kernel,
            types,
            tile: across.saturating_mul(field.chunk),
            grid: self.parts(&field).min(MOST_BLOCKS) as u32,
            block,
            shared: self.shared(),
            workspace: if kernel == "stencil_taps" { self.taps.len() * size_of::<Tap<T::Sum>>() } else { 0 },
            why: format!("{why}; loads of {access}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let Some(field) = self.field(target.device.limits()) else { return Ok(Vec::new()) };
        let (grid, parts, way) = (plan.grid, self.parts(&field), self.way());
        // The conditions are constants: rustc compiles the kernels of one branch only.
        Ok(vec![match way {
            Way::Rows { radius, tiles } if const { size_of::<T>() == 8 } => {
                by_rows::<T, 2, 5>(self, radius, tiles, grid, target)?
            }
            Way::Rows { radius, tiles } => by_rows::<T, 4, 3>(self, radius, tiles, grid, target)?,
            Way::Planes { radius, is_star } if const { size_of::<T>() == 8 } => {
                by_planes::<T, 2, 5>(self, field, (radius, is_star), grid, parts, target)?
            }
            Way::Planes { radius, is_star } => {
                by_planes::<T, 4, 3>(self, field, (radius, is_star), grid, parts, target)?
            }
            Way::Taps => by_taps(self, field, grid, target)?,
        }])
    }
}

/// The launch with a tile a block.
fn by_rows<'a, T: Sample, const N: usize, const LOADS: usize>(
    stencil: Stencil<'a, T>,
    radius: usize,
    Tiles { plane, tiles, .. }: Tiles,
    grid: u32,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Cells { weights, bits: [cells, more] } = stencil.cells();
    let (is_wide, border) = (is_wide(&stencil.x, &stencil.y), stencil.border);
    let (x, mut y) = (stencil.x.into_memory(), stencil.y.into_memory());
    let weights = Weights { of: weights.map(|weight| weight.cast::<T::Sum>()) };
    Ok(step!(
        target,
        (grid, ROW_THREADS),
        stencil_rows::<T, N, LOADS>(&x, &mut y, plane, tiles, weights, radius, cells, more, border, is_wide)
    ))
}

/// The launch that marches along planes.
fn by_planes<'a, T: Sample, const N: usize, const LOADS: usize>(
    stencil: Stencil<'a, T>,
    field: Field,
    (radius, is_star): (usize, bool),
    grid: u32,
    parts: usize,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Cells { weights, bits: [cells, more] } = stencil.cells();
    let (is_wide, border) = (is_wide(&stencil.x, &stencil.y), stencil.border);
    let (x, mut y) = (stencil.x.into_memory(), stencil.y.into_memory());
    let weights = Weights { of: weights.map(|weight| weight.cast::<T::Sum>()) };
    Ok(step!(
        target,
        (grid, PLANE_THREADS),
        stencil_planes::<T, N, LOADS>(
            &x, &mut y, field, weights, parts, radius, cells, more, border, is_star, is_wide
        )
    ))
}

/// The launch of the kernel that takes any offsets.
fn by_taps<'a, T: Sample>(
    stencil: Stencil<'a, T>,
    field: Field,
    grid: u32,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let taps: Vec<Tap<T::Sum>> =
        stencil.taps.iter().map(|(offset, weight)| Tap { offset: *offset, weight: weight.cast() }).collect();
    let taps = target.device.upload(&taps)?;
    let border = stencil.border;
    let (x, mut y) = (stencil.x.into_memory(), stencil.y.into_memory());
    Ok(step!(target, (grid, TAP_THREADS), stencil_taps::<T>(&x, &mut y, field, &taps, border)))
}
