//! `gemv`: its arguments, its plan and its launches.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::columns::{self, gemv_columns};
use super::rows::{Lines, gemv_long_rows, gemv_rows};
use crate::argument::{Input, Layout, Matrix, Output, length};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name, step};
use crate::error::KernelError;
use crate::number::Number;
use crate::pack::PACK_BYTES;
use crate::reduction::block::THREADS;
use crate::reduction::plan::{ByColumns, Elements, Shape};

/// Rows that the threads of a group take together, where there are enough of them.
pub(super) const ROWS: usize = 4;
/// Packs of a row that a thread takes where there are many rows.
const PACKS_OF_THREAD: usize = 8;
/// Threads of a multiprocessor that keep the memory busy.
pub(super) const BUSY: usize = 1024;

/// `y = a * x`, summed in the [`Total`](Number::Total) of the elements. `a`: `[m, n]`, of any stride, and transposed by `.t()` for free;
/// `x`: `[n]`; `y`: `[m]`.
///
/// | setting | `y` becomes |
/// |---|---|
/// | [`alpha(s)`](Call::alpha) [`beta(t)`](Call::beta) | `s * a * x + t * y` |
///
/// Elements are numbers, also integers, which wrap. An empty sum is zero. NaN and infinities behave as in sums on the host; `y` is not
/// read without a `beta`. The order of sums depends on the shape, the alignment of the memory and the device alone.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::matrix;
/// use warpsmith_kernels::products::gemv;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let (a, x) = (gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?, gpu.upload(&[1.0f32, 0.5, -1.0])?);
/// let mut y = gpu.alloc_zeroed::<f32>(2)?;
/// gemv(&gpu, matrix(&a, 2, 3)?, &x, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [-1.0, 0.5]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `x` is as long as `a` has columns and `y` as it has rows,
/// [`KernelError::Overlap`] if `y` shares memory with `a` or `x`.
pub fn gemv<'a, T: Number>(
    device: &Device,
    a: Matrix<'a, T>,
    x: impl SliceArg<'a, T>,
    y: impl SliceMutArg<'a, T>,
) -> Call<'a, Gemv<'a, T>> {
    let (alpha, beta) = (T::Total::ONE, T::Total::ZERO);
    Call::new(device, Gemv { a, x: Input::new(x), y: Output::new(y), alpha, beta })
}

/// A product of a matrix and a vector with its arguments.
pub struct Gemv<'a, T: Number> {
    a: Matrix<'a, T>,
    x: Input<'a, T>,
    y: Output<'a, T>,
    alpha: T::Total,
    beta: T::Total,
}

impl<'a, T: Number> Call<'a, Gemv<'a, T>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: T::Total) -> Self {
        self.map(|gemv| Gemv { alpha, ..gemv })
    }

    /// Adds the elements that `y` has before, times `beta`. Default: 0, and `y` is not read.
    pub fn beta(self, beta: T::Total) -> Self {
        self.map(|gemv| Gemv { beta, ..gemv })
    }
}

/// The kernel for a product, with its grid.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// There is no output.
    Nothing,
    /// `threads` threads take `rows` rows.
    Rows { threads: u32, rows: usize, in_packs: bool, grid: u32 },
    /// `splits` blocks share a row.
    LongRows { splits: u32, in_packs: bool, grid: u32 },
    /// The elements of a column lie side by side.
    Columns(ByColumns),
}

impl<T: Number> Gemv<'_, T> {
    /// Elements of a pack.
    const PER_PACK: usize = PACK_BYTES / size_of::<T>();

    fn way(&self, limits: &Limits) -> Way {
        let layout = self.a.layout();
        if layout.rows == 0 {
            return Way::Nothing;
        }
        if layout.col_stride == 1 || layout.cols <= 1 {
            return self.by_rows(layout, limits);
        }
        let elements = Elements { size: size_of::<T>(), misalignment: self.a.memory().misalignment() };
        // As many blocks as run at once: each begins and ends once.
        let busy = limits.multiprocessors as usize * columns::RESIDENT as usize;
        Way::Columns(Shape::rows(layout).by_columns(elements, busy, limits, None))
    }

    fn by_rows(&self, layout: Layout, limits: &Limits) -> Way {
        let Layout { rows, cols, row_stride, .. } = layout;
        let aligned = [self.a.memory().misalignment(), self.x.misalignment()] == [Some(0); 2];
        let in_packs = aligned && (row_stride.is_multiple_of(Self::PER_PACK) || rows == 1);
        let packs = if in_packs { cols / Self::PER_PACK } else { cols };
        let busy = limits.multiprocessors as usize * BUSY;
        let of_block = THREADS as usize;
        let splits = (busy / of_block / rows).min(packs / (of_block * ROWS));
        if splits > 1 {
            return Way::LongRows { splits: splits as u32, in_packs, grid: grid_of(rows * splits) };
        }
        let group = if rows >= limits.multiprocessors as usize * ROWS { ROWS } else { 1 };
        let groups = rows.div_ceil(group);
        // Enough threads for the device, as far as each has a pack, and otherwise some packs for each.
        let wanted = (packs / PACKS_OF_THREAD).max((busy / groups).min(packs)).max(1);
        let threads = wanted.next_power_of_two().clamp(4, of_block);
        Way::Rows {
            threads: threads as u32,
            rows: group,
            in_packs,
            grid: grid_of(groups.div_ceil(of_block / threads)),
        }
    }
}

impl<'a, T: Number> Family<'a> for Gemv<'a, T> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let layout = self.a.layout();
        length("x", self.x.len(), layout.cols, "the columns of `a`")?;
        length("y", self.y.len(), layout.rows, "the rows of `a`")?;
        self.y.apart_from("y", self.a.memory(), "a")?;
        self.y.apart_from("y", &self.x, "x")?;
        let types = short_name::<T>();
        let total = size_of::<T::Total>();
        let way = self.way(limits);
        let loads = |in_packs| if in_packs { "loads of 16 bytes" } else { "loads of one element" };
        let (kernel, shared, workspace, why) = match way {
            Way::Nothing => return Ok(Plan::nothing(types, "`y` has no elements")),
            Way::Rows { threads, rows, in_packs, .. } => {
                let why = format!("{}, {threads} threads take {rows} rows", loads(in_packs));
                ("gemv_rows", THREADS as usize / 32 * rows * total, 0, why)
            }
            Way::LongRows { splits, in_packs, grid } => {
                let why = format!(
                    "{}, {splits} blocks share a row, and the last joins their sums",
                    loads(in_packs)
                );
                let workspace = grid as usize * total + layout.rows * size_of::<u32>();
                ("gemv_long_rows", (THREADS as usize / 32) * total, workspace, why)
            }
            Way::Columns(columns) => {
                let (partials, counters) = columns.workspace(layout.rows);
                let splits = columns.at.splits;
                let why = format!("the elements of a column lie side by side, {splits} blocks share a row");
                let workspace = partials * total + counters * size_of::<u32>();
                // Sums of each thread, and those of blocks that share rows.
                let sums = if way.in_packs() { Self::PER_PACK } else { 1 } + (splits > 1) as usize;
                ("gemv_columns", THREADS as usize * sums * total, workspace, why)
            }
        };
        let grid = way.grid();
        let elements = layout.rows.saturating_mul(layout.cols);
        let tile = elements.div_ceil(grid.max(1) as usize);
        Ok(Plan { kernel, types, tile, grid, block: THREADS, shared, workspace, why })
    }

    fn steps(self, _plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let way = self.way(target.device.limits());
        // The conditions are constants: rustc compiles the kernels of one branch only.
        Ok(vec![match way {
            Way::Nothing => return Ok(Vec::new()),
            way if !way.in_packs() => self.launch::<1>(way, target)?,
            way if const { Self::PER_PACK == 16 } => self.launch::<16>(way, target)?,
            way if const { Self::PER_PACK == 8 } => self.launch::<8>(way, target)?,
            way if const { Self::PER_PACK == 4 } => self.launch::<4>(way, target)?,
            way => self.launch::<2>(way, target)?,
        }])
    }
}

impl Way {
    /// Blocks in the grid.
    fn grid(&self) -> u32 {
        match self {
            Way::Nothing => 0,
            Way::Rows { grid, .. } | Way::LongRows { grid, .. } => *grid,
            Way::Columns(columns) => columns.grid,
        }
    }

    /// Whether elements are loaded in packs.
    fn in_packs(&self) -> bool {
        match self {
            Way::Nothing => false,
            Way::Rows { in_packs, .. } | Way::LongRows { in_packs, .. } => *in_packs,
            Way::Columns(columns) => columns.in_packs,
        }
    }
}

impl<'a, T: Number> Gemv<'a, T> {
    /// The launch for packs of `N` elements.
    fn launch<const N: usize>(self, way: Way, target: &Target) -> Result<Step<'a>, KernelError> {
        let layout = self.a.layout();
        let Self { a, x, mut y, alpha, beta } = self;
        let (rows, cols) = (layout.rows, layout.cols);
        let at = Lines { rows, cols, stride: layout.row_stride, alpha, beta };
        let a = a.into_memory();
        let (packs, xs) = (a.packs::<N>().packs, x.packs::<N>().packs);
        let blocks = (way.grid(), THREADS);
        let device = &target.device;
        Ok(match way {
            Way::Rows { threads, rows: ROWS, .. } => {
                step!(target, blocks, gemv_rows::<T, N, ROWS>(&a, &packs, &x, &xs, &mut y, at, threads))
            }
            Way::Rows { threads, .. } => {
                step!(target, blocks, gemv_rows::<T, N, 1>(&a, &packs, &x, &xs, &mut y, at, threads))
            }
            Way::LongRows { splits, grid, .. } => {
                let mut partials: Buffer<T::Total> = device.alloc_zeroed(grid as usize)?;
                let mut arrived: Buffer<u32> = device.alloc_zeroed(rows)?;
                step!(
                    target,
                    blocks,
                    gemv_long_rows::<T, N>(
                        &a,
                        &packs,
                        &x,
                        &xs,
                        &mut y,
                        at,
                        splits,
                        &mut partials,
                        &mut arrived
                    )
                )
            }
            Way::Columns(columns) => {
                let at = columns.at;
                let (partials, counters) = columns.workspace(rows);
                let mut partials: Buffer<T::Total> = device.alloc_zeroed(partials)?;
                let mut arrived: Buffer<u32> = device.alloc_zeroed(counters)?;
                step!(
                    target,
                    blocks,
                    gemv_columns::<T, N>(
                        &a,
                        &packs,
                        &x,
                        &mut y,
                        at,
                        alpha,
                        beta,
                        &mut partials,
                        &mut arrived
                    )
                )
            }
            Way::Nothing => Step::new(|| Ok(())),
        })
    }
}
