//! `spmm`: its arguments, its plan and its launches.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::cut::join_cut_rows;
use super::matrix::{Dense, TILE, csr_times_matrix};
use super::sums::Scale;
use super::tiles::{THREADS, csr_tiles};
use super::tiling::{Tiling, Workspace, early, is_early};
use super::{Csr, Offset};
use crate::argument::{Matrix, MatrixMut, extents, side_by_side};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name};
use crate::error::KernelError;
use crate::number::Number;
use crate::pack::PACK_BYTES;

/// `c = a * b` for a sparse matrix `a` and a dense matrix `b`, accumulated in the [`Total`](Number::Total) of the elements. `a`: `[m, k]`,
/// from [`csr`](super::csr); `b`: `[k, n]` and `c`: `[m, n]`, row-major, with any row stride.
///
/// | setting | `c` becomes |
/// |---|---|
/// | [`alpha(s)`](Call::alpha) [`beta(t)`](Call::beta) | `s * a * b + t * c` |
///
/// The workspace has `2 * n` totals for each 128 of the rows and non-zeros of `a`: with hundreds of non-zeros in a row, more than `c` takes.
///
/// Rows of `a` may have any length. An empty row gives zeros, and `c` is not read without a `beta`. The order of sums depends only on the
/// row offsets, so the results have the same bits every time.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::sparse::{csr, spmm};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // [ 1 0 2 ]
/// // [ 0 3 0 ]
/// let (offsets, columns) = (gpu.upload(&[0u32, 2, 3])?, gpu.upload(&[0u32, 2, 1])?);
/// let (values, b) = (gpu.upload(&[1.0f32, 2.0, 3.0])?, gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?);
/// let mut c = gpu.alloc_zeroed::<f32>(4)?;
/// let a = csr(2, 3, &offsets, &columns, &values)?;
/// spmm(&gpu, a, matrix(&b, 3, 2)?, matrix_mut(&mut c, 2, 2)?).run()?;
/// assert_eq!(gpu.download(&c)?, [11.0, 14.0, 9.0, 12.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `b` has a row for each column of `a`, `c` has the rows of `a` and the columns of
/// `b`, and rows of both lie side by side; [`KernelError::Overlap`] if `c` shares memory with `a` or `b`. Faults of the launch are those of
/// [`spmv`](super::spmv).
pub fn spmm<'a, T: Number, I: Offset, C: Offset>(
    device: &Device,
    a: Csr<'a, T, I, C>,
    b: Matrix<'a, T>,
    c: MatrixMut<'a, T>,
) -> Call<'a, Spmm<'a, T, I, C>> {
    let scale = Scale { alpha: T::Total::ONE, beta: T::Total::ZERO };
    Call::new(device, Spmm { a, b, c, scale })
}

/// A product of a sparse and a dense matrix with its arguments.
pub struct Spmm<'a, T: Number, I, C> {
    a: Csr<'a, T, I, C>,
    b: Matrix<'a, T>,
    c: MatrixMut<'a, T>,
    scale: Scale<T::Total>,
}

impl<'a, T: Number, I: Offset, C: Offset> Call<'a, Spmm<'a, T, I, C>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: T::Total) -> Self {
        self.map(|call| Spmm { scale: Scale { alpha, ..call.scale }, ..call })
    }

    /// Adds the previous elements of `c`, times `beta`. Default: 0, and `c` is not read.
    pub fn beta(self, beta: T::Total) -> Self {
        self.map(|call| Spmm { scale: Scale { beta, ..call.scale }, ..call })
    }
}

/// How a product is launched.
struct Way {
    /// Columns of a lane.
    of_lane: usize,
    /// Lanes that take a tile.
    lanes: u32,
    /// Groups of lanes that share a tile's columns.
    parts: usize,
    grid: u32,
}

impl<T: Number, I: Offset, C: Offset> Spmm<'_, T, I, C> {
    /// Elements of a pack.
    const PER_PACK: usize = PACK_BYTES / size_of::<T>();

    fn tiling(&self) -> Tiling {
        Tiling::new(&self.a, TILE, self.b.layout().cols)
    }

    fn way(&self) -> Way {
        let (b, c) = (self.b.layout(), self.c.layout());
        let aligned = [self.b.memory().misalignment(), self.c.memory().misalignment()] == [Some(0); 2];
        let whole = |elements: usize| elements.is_multiple_of(Self::PER_PACK);
        let in_packs = aligned && whole(b.cols) && whole(b.row_stride) && whole(c.row_stride);
        let of_lane = if in_packs { Self::PER_PACK } else { 1 };
        let columns = b.cols.div_ceil(of_lane);
        let lanes = columns.next_power_of_two().min(32);
        let parts = columns.div_ceil(lanes);
        let groups = self.tiling().tiles.saturating_mul(parts);
        let grid = grid_of(groups.div_ceil(THREADS as usize / lanes));
        Way { of_lane, lanes: lanes as u32, parts, grid }
    }

    /// Refuses dense matrices that do not fit the sparse one.
    fn check(&self) -> Result<(), KernelError> {
        let (b, c) = (self.b.layout(), self.c.layout());
        side_by_side("b", b)?;
        side_by_side("c", c)?;
        extents("b", b, [self.a.cols(), b.cols], "one row for each column of `a`")?;
        extents("c", c, [self.a.rows(), b.cols], "the rows of `a` and the columns of `b`")?;
        self.a.apart_from("c", self.c.memory())?;
        self.c.memory().apart_from("c", self.b.memory(), "b")
    }
}

impl<'a, T: Number, I: Offset, C: Offset> Family<'a> for Spmm<'a, T, I, C> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = format!("{}, {}, {}", short_name::<T>(), short_name::<I>(), short_name::<C>());
        let (tiling, way) = (self.tiling(), self.way());
        if self.a.rows() == 0 || self.b.layout().cols == 0 {
            return Ok(Plan::nothing(types, "`c` has no elements"));
        }
        Ok(Plan {
            kernel: "csr_times_matrix",
            types,
            tile: TILE,
            grid: way.grid,
            block: THREADS,
            shared: 0,
            workspace: tiling.bytes::<T::Total>(),
            why: format!(
                "{} lanes with {} columns each take equal numbers of non-zeros and row ends",
                way.lanes, way.of_lane
            ),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        // The conditions are constants: rustc compiles the kernels of one branch only.
        Ok(vec![match self.way().of_lane {
            _ if plan.grid == 0 => return Ok(Vec::new()),
            1 => self.launches::<1>(target)?,
            _ if const { Self::PER_PACK == 16 } => self.launches::<16>(target)?,
            _ if const { Self::PER_PACK == 8 } => self.launches::<8>(target)?,
            _ if const { Self::PER_PACK == 4 } => self.launches::<4>(target)?,
            _ => self.launches::<2>(target)?,
        }])
    }
}

impl<'a, T: Number, I: Offset, C: Offset> Spmm<'a, T, I, C> {
    /// The launches for lanes with `N` columns.
    fn launches<const N: usize>(self, target: &Target) -> Result<Step<'a>, KernelError> {
        let (tiling, Way { lanes, parts, grid, .. }) = (self.tiling(), self.way());
        let (b_layout, c_layout) = (self.b.layout(), self.c.layout());
        let Self { a: Csr { offsets, columns, values, .. }, b, c, scale } = self;
        let (b, mut c) = (b.into_memory(), c.into_memory());
        let packs = b.packs::<N>().packs;
        let (_, mut c_packs) = c.packs::<N>();
        let dense = Dense {
            inner: b_layout.rows,
            cols: b_layout.cols,
            b_stride: b_layout.row_stride,
            c_stride: c_layout.row_stride,
            parts: grid_of(parts),
        };
        let Workspace { mut starts, mut heads, mut tails } = tiling.workspace::<T::Total>(target)?;
        let parts = tiling.parts(c_layout.row_stride);
        let limits = target.device.limits();
        let is_early = is_early(limits);
        macro_rules! find {
            () => {
                csr_tiles::<I>(&offsets, columns.len(), TILE, 0, &mut starts, is_early)
            };
        }
        macro_rules! multiply {
            () => {
                csr_times_matrix::<T, I, C, N>(
                    &offsets,
                    &columns,
                    &values,
                    &b,
                    &packs,
                    &mut c,
                    &mut c_packs,
                    dense,
                    scale,
                    &starts,
                    &mut heads,
                    &mut tails,
                    lanes,
                    is_early,
                )
            };
        }
        macro_rules! join {
            () => {
                join_cut_rows::<T, I>(&offsets, &starts, &heads, &tails, &mut c, scale, parts, is_early)
            };
        }
        let found = target.prepare(early(find!().grid(tiling.finding()).block(THREADS), limits))?;
        let multiplied = target.prepare(early(multiply!().grid(grid).block(THREADS), limits))?;
        let joined = target.prepare(early(join!().grid(tiling.joining()).block(THREADS), limits))?;
        Ok(Step::new(move || {
            found.launch(find!())?;
            multiplied.launch(multiply!())?;
            Ok(joined.launch(join!())?)
        }))
    }
}
