//! `spmv`: its arguments, its plan and its launches.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::cut::join_cut_rows;
use super::sums::Scale;
use super::tiles::{THREADS, csr_tiles};
use super::tiling::{Tiling, Workspace, early, is_early};
use super::vector::{SPARED, TILE, csr_times_vector, shared_bytes};
use super::{Csr, Offset};
use crate::argument::{Input, Output, length};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name};
use crate::error::KernelError;
use crate::number::Number;
use crate::pack::PACK_BYTES;

/// `y = a * x` for a sparse matrix, accumulated in the [`Total`](Number::Total) of the elements. `a`: `[m, n]`, from [`csr`](super::csr);
/// `x`: `[n]`; `y`: `[m]`.
///
/// | setting | `y` becomes |
/// |---|---|
/// | [`alpha(s)`](Call::alpha) [`beta(t)`](Call::beta) | `s * a * x + t * y` |
///
/// Rows may have any length. An empty row gives zero, and `y` is not read without a `beta`. The order of sums depends only on the row
/// offsets, so the results have the same bits every time.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::sparse::{csr, spmv};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // [ 1 0 2 ]
/// // [ 0 3 0 ]
/// let (offsets, columns) = (gpu.upload(&[0u32, 2, 3])?, gpu.upload(&[0u32, 2, 1])?);
/// let (values, x) = (gpu.upload(&[1.0f32, 2.0, 3.0])?, gpu.upload(&[1.0f32, 10.0, 100.0])?);
/// let mut y = gpu.alloc_zeroed::<f32>(2)?;
/// spmv(&gpu, csr(2, 3, &offsets, &columns, &values)?, &x, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [201.0, 30.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `x` is as long as `a` has columns and `y` as it has rows,
/// [`KernelError::Overlap`] if `y` shares memory with `a` or `x`. Offsets that fall or do not reach from 0 to the number of non-zeros, and
/// columns that `a` does not have, are faults of the launch.
pub fn spmv<'a, T: Number, I: Offset, C: Offset>(
    device: &Device,
    a: Csr<'a, T, I, C>,
    x: impl SliceArg<'a, T>,
    y: impl SliceMutArg<'a, T>,
) -> Call<'a, Spmv<'a, T, I, C>> {
    let scale = Scale { alpha: T::Total::ONE, beta: T::Total::ZERO };
    Call::new(device, Spmv { a, x: Input::new(x), y: Output::new(y), scale })
}

/// A product of a sparse matrix and a vector with its arguments.
pub struct Spmv<'a, T: Number, I, C> {
    a: Csr<'a, T, I, C>,
    x: Input<'a, T>,
    y: Output<'a, T>,
    scale: Scale<T::Total>,
}

impl<'a, T: Number, I: Offset, C: Offset> Call<'a, Spmv<'a, T, I, C>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: T::Total) -> Self {
        self.map(|call| Spmv { scale: Scale { alpha, ..call.scale }, ..call })
    }

    /// Adds the previous elements of `y`, times `beta`. Default: 0, and `y` is not read.
    pub fn beta(self, beta: T::Total) -> Self {
        self.map(|call| Spmv { scale: Scale { beta, ..call.scale }, ..call })
    }
}

impl<'a, T: Number, I: Offset, C: Offset> Family<'a> for Spmv<'a, T, I, C> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        length("x", self.x.len(), self.a.cols(), "the columns of `a`")?;
        length("y", self.y.len(), self.a.rows(), "the rows of `a`")?;
        self.a.apart_from("y", &self.y)?;
        self.y.apart_from("y", &self.x, "x")?;
        let types = format!("{}, {}, {}", short_name::<T>(), short_name::<I>(), short_name::<C>());
        let tiling = Tiling::new(&self.a, TILE, 1);
        if tiling.tiles == 0 {
            return Ok(Plan::nothing(types, "`y` has no elements"));
        }
        Ok(Plan {
            kernel: "csr_times_vector",
            types,
            tile: TILE,
            grid: grid_of(tiling.tiles),
            block: THREADS,
            shared: shared_bytes::<T::Total>(),
            workspace: tiling.bytes::<T::Total>(),
            why: "blocks take equal numbers of non-zeros and row ends, and the parts of rows that they share are joined"
                .to_owned(),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        // The conditions are constants: rustc compiles the kernels of one branch only.
        Ok(vec![match plan.grid {
            0 => return Ok(Vec::new()),
            _ if const { per_pack::<T>() == 4 && per_pack::<C>() == 4 } => {
                self.launches::<4, 4>(plan, target)?
            }
            _ if const { per_pack::<T>() == 4 } => self.launches::<4, 2>(plan, target)?,
            _ if const { per_pack::<C>() == 4 } => self.launches::<2, 4>(plan, target)?,
            _ => self.launches::<2, 2>(plan, target)?,
        }])
    }
}

/// Elements of a pack of columns or values; those of other types are loaded one by one.
const fn per_pack<T>() -> usize {
    if size_of::<T>() == 8 { 2 } else { 4 }
}

impl<'a, T: Number, I: Offset, C: Offset> Spmv<'a, T, I, C> {
    /// The launches, whose packs have `NV` values and `NC` columns.
    fn launches<const NV: usize, const NC: usize>(
        self,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let tiling = Tiling::new(&self.a, TILE, 1);
        let Self { a: Csr { offsets, columns, values, .. }, x, mut y, scale } = self;
        let Workspace { mut starts, mut heads, mut tails } = tiling.workspace::<T::Total>(target)?;
        let (of_columns, of_values) = (columns.packs::<NC>().packs, values.packs::<NV>().packs);
        let aligned = [columns.misalignment(), values.misalignment()] == [Some(0); 2];
        let in_packs = aligned && size_of::<T>() * NV == PACK_BYTES;
        let (parts, limits) = (tiling.parts(1), target.device.limits());
        let is_early = is_early(limits);
        macro_rules! find {
            () => {
                csr_tiles::<I>(&offsets, columns.len(), TILE, SPARED, &mut starts, is_early)
            };
        }
        macro_rules! multiply {
            () => {
                csr_times_vector::<T, I, C, NV, NC>(
                    &offsets,
                    &columns,
                    &of_columns,
                    &values,
                    &of_values,
                    &x,
                    &mut y,
                    scale,
                    &starts,
                    &mut heads,
                    &mut tails,
                    in_packs,
                    is_early,
                )
            };
        }
        macro_rules! join {
            () => {
                join_cut_rows::<T, I>(&offsets, &starts, &heads, &tails, &mut y, scale, parts, is_early)
            };
        }
        let found = target.prepare(early(find!().grid(tiling.finding()).block(THREADS), limits))?;
        let multiplied = target.prepare(early(multiply!().grid(plan.grid).block(THREADS), limits))?;
        let joined = target.prepare(early(join!().grid(tiling.joining()).block(THREADS), limits))?;
        Ok(Step::new(move || {
            found.launch(find!())?;
            multiplied.launch(multiply!())?;
            Ok(joined.launch(join!())?)
        }))
    }
}
