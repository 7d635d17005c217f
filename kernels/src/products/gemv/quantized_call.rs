//! `gemv_quantized`: its arguments, its plan and its launch.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::blocks::{BLOCK, Quantized};
use super::call::{BUSY, ROWS};
use super::digits::{self, gemv_quantized_digits};
use super::quantized::{CHUNK, RESIDENT, gemv_quantized_rows};
use super::rows::Lines;
use super::vector_digits::STEP;
use crate::argument::{Input, Matrix, Output, length};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name, step};
use crate::error::KernelError;
use crate::reduction::block::THREADS;

/// Blocks of numbers that fill packs of 16 bytes together.
const IN_PACKS: usize = 8;

/// The fewest steps of a warp whose block shares rows with others.
const FEWEST_STEPS: usize = 2;

/// Rows that the copy engine copies are fewer bytes apart. Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
const MOST_STRIDE: usize = 1 << 40;

/// `y = a * x`, summed in `f32`, for quantised numbers: [`Q8_0`](super::Q8_0) or [`Q4_0`](super::Q4_0). `a` is a matrix of blocks,
/// `[m, n / 32]`, of any stride between rows; `x`: `[n]`; `y`: `[m]`.
///
/// | setting | `y` becomes |
/// |---|---|
/// | [`alpha(s)`](Call::alpha) [`beta(t)`](Call::beta) | `s * a * x + t * y` |
///
/// Bits of `x` are left out only below 2^-60 of the largest of 256 elements. It is fastest from compute capability 9.0 on, if `n` is a
/// multiple of 256, and `x` and the rows of `a` begin at multiples of 16 bytes. The order of sums depends on the shape, the alignment of the
/// memory and the device alone.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::matrix;
/// use warpsmith_kernels::products::gemv::{HostBlock, Q8_0, gemv_quantized};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let a = gpu.upload(&[Q8_0::of(&[0.5; 32]), Q8_0::of(&[-1.0; 32])])?;
/// let x = gpu.upload(&[2.0f32; 32])?;
/// let mut y = gpu.alloc_zeroed::<f32>(2)?;
/// gemv_quantized(&gpu, matrix(&a, 2, 1)?, &x, &mut y).run()?;
/// assert!(gpu.download(&y)?.iter().zip([32.0, -64.0]).all(|(y, want)| (y - want).abs() < 0.1));
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `x` has the numbers of a row of `a` and `y` is as long as `a` has rows, or if
/// `a` is transposed; [`KernelError::Overlap`] if `y` shares memory with `a` or `x`.
pub fn gemv_quantized<'a, B: Quantized>(
    device: &Device,
    a: Matrix<'a, B>,
    x: impl SliceArg<'a, f32>,
    y: impl SliceMutArg<'a, f32>,
) -> Call<'a, GemvQuantized<'a, B>> {
    Call::new(device, GemvQuantized { a, x: Input::new(x), y: Output::new(y), alpha: 1.0, beta: 0.0 })
}

/// A product of a quantised matrix and a vector with its arguments.
pub struct GemvQuantized<'a, B> {
    a: Matrix<'a, B>,
    x: Input<'a, f32>,
    y: Output<'a, f32>,
    alpha: f32,
    beta: f32,
}

impl<'a, B: Quantized> Call<'a, GemvQuantized<'a, B>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: f32) -> Self {
        self.map(|gemv| GemvQuantized { alpha, ..gemv })
    }

    /// Adds the elements that `y` has before, times `beta`. Default: 0, and `y` is not read.
    pub fn beta(self, beta: f32) -> Self {
        self.map(|gemv| GemvQuantized { beta, ..gemv })
    }
}

/// The kernel for a product, with its grid.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Tensor cores multiply digits of the vector; `splits` blocks share rows.
    Digits { splits: u32, grid: u32 },
    /// Threads multiply floats.
    Floats(Shares),
}

/// How the threads of a grid share the rows.
#[derive(Clone, Copy, Debug)]
struct Shares {
    threads: u32,
    rows: usize,
    grid: u32,
    is_wide: bool,
}

impl<B: Quantized> GemvQuantized<'_, B> {
    fn way(&self, limits: &Limits) -> Way {
        let shares = self.shares(limits);
        let layout = self.a.layout();
        let in_packs = shares.is_wide && self.x.misalignment() == Some(0);
        // The copy engine counts rows and columns with an `i32`.
        let is_counted = layout.rows.max(layout.cols.saturating_mul(B::UNITS)) <= i32::MAX as usize;
        let is_near = layout.row_stride < MOST_STRIDE / size_of::<B>();
        if limits.compute < (9, 0) || !(in_packs && is_counted && is_near) {
            return Way::Floats(shares);
        }
        let tiles = layout.rows.div_ceil(rows_of_block::<B>());
        let steps = layout.cols * BLOCK / STEP;
        let splits =
            (limits.multiprocessors as usize / tiles).min(steps / (digits::WARPS * FEWEST_STEPS)).max(1);
        Way::Digits { splits: splits as u32, grid: grid_of(tiles * splits) }
    }

    fn shares(&self, limits: &Limits) -> Shares {
        let layout = self.a.layout();
        let multiprocessors = limits.multiprocessors as usize;
        let aligned = self.a.memory().values::<u16>().misalignment() == Some(0);
        let in_packs = |blocks: usize| blocks.is_multiple_of(IN_PACKS);
        let is_wide = aligned && in_packs(layout.cols) && (in_packs(layout.row_stride) || layout.rows == 1);
        let rows = if layout.rows >= multiprocessors * ROWS { ROWS } else { 1 };
        let groups = layout.rows.div_ceil(rows);
        let packs = layout.cols.saturating_mul(B::UNITS) / if is_wide { IN_PACKS } else { 1 };
        // The power of two below, as threads without a pack wait for those with one more.
        let wanted = (multiprocessors * BUSY / groups).min(packs).clamp(32, THREADS as usize);
        let threads = 1 << wanted.ilog2();
        let blocks = groups.div_ceil(THREADS as usize / threads).min(multiprocessors * RESIDENT as usize);
        Shares { threads: threads as u32, rows, grid: blocks as u32, is_wide }
    }
}

impl<'a, B: Quantized> Family<'a> for GemvQuantized<'a, B> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let layout = self.a.layout();
        if layout.col_stride != 1 && layout.cols > 1 {
            return Err(KernelError::Shape {
                what: "a",
                expected: "rows whose blocks lie side by side".to_owned(),
                got: format!("blocks that lie {} apart", layout.col_stride),
                way_out: "quantise the transposed matrix",
            });
        }
        length("x", self.x.len(), layout.cols.saturating_mul(BLOCK), "the numbers of a row of `a`")?;
        length("y", self.y.len(), layout.rows, "the rows of `a`")?;
        self.y.apart_from("y", self.a.memory(), "a")?;
        self.y.apart_from("y", &self.x, "x")?;
        let types = short_name::<B>();
        if layout.rows == 0 {
            return Ok(Plan::nothing(types, "`y` has no elements"));
        }
        let (kernel, grid, shared, workspace, why) = match self.way(limits) {
            Way::Digits { splits, grid } => (
                "gemv_quantized_digits",
                grid,
                digits::shared(rows_of_block::<B>(), B::UNITS * 4),
                if splits > 1 {
                    (splits as usize * layout.rows + grid as usize / splits as usize) * 4
                } else {
                    0
                },
                format!(
                    "tensor cores multiply digits of `x`, {splits} blocks share {} rows",
                    rows_of_block::<B>()
                ),
            ),
            Way::Floats(Shares { threads, rows, grid, is_wide }) => {
                let loads = if is_wide { "loads of 16 bytes" } else { "loads of 2 bytes" };
                let shared = (CHUNK + THREADS as usize / 32 * rows) * size_of::<f32>();
                (
                    "gemv_quantized_rows",
                    grid,
                    shared,
                    0,
                    format!("{loads}, {threads} threads take {rows} rows"),
                )
            }
        };
        let tile = layout.rows.saturating_mul(layout.cols).div_ceil(grid as usize);
        Ok(Plan { kernel, types, tile, grid, block: THREADS, shared, workspace, why })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.way(target.device.limits()) {
            // The conditions are constants: rustc compiles the kernel of one branch only.
            Way::Digits { splits, grid } if const { rows_of_block::<B>() == 16 } => {
                self.by_digits::<16, 1, 68>(splits, grid, target)?
            }
            Way::Digits { splits, grid } => self.by_digits::<32, 2, 36>(splits, grid, target)?,
            Way::Floats(shares) => match (shares.rows, shares.is_wide) {
                (ROWS, true) => self.launch::<ROWS, true>(&shares, target)?,
                (ROWS, false) => self.launch::<ROWS, false>(&shares, target)?,
                (_, true) => self.launch::<1, true>(&shares, target)?,
                (_, false) => self.launch::<1, false>(&shares, target)?,
            },
        }])
    }
}

/// Rows that a block multiplies on tensor cores. A step of them has about as many bytes for either type of blocks.
const fn rows_of_block<B: Quantized>() -> usize {
    if B::UNITS == 17 { 16 } else { 32 }
}

impl<'a, B: Quantized> GemvQuantized<'a, B> {
    /// The rows of the matrix, as kernels count them.
    fn lines(&self) -> Lines<f32> {
        let layout = self.a.layout();
        let stride = layout.row_stride.saturating_mul(B::UNITS);
        Lines { rows: layout.rows, cols: layout.cols * BLOCK, stride, alpha: self.alpha, beta: self.beta }
    }

    /// The launch for groups of `N` rows.
    fn launch<const N: usize, const WIDE: bool>(
        self,
        shares: &Shares,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let (threads, at) = (shares.threads, self.lines());
        let Self { a, x, mut y, .. } = self;
        let units = a.into_memory().values::<u16>();
        // Four words are eight units.
        let packs = units.values::<u32>().packs::<4>().packs;
        Ok(step!(
            target,
            (shares.grid, THREADS),
            gemv_quantized_rows::<B, N, WIDE>(&units, &packs, &x, &mut y, at, threads)
        ))
    }

    /// The launch for tensor cores, for blocks of `LINES` rows, which are `TILES` times 16, and `WORDS` words of a row in a step.
    fn by_digits<const LINES: usize, const TILES: usize, const WORDS: usize>(
        self,
        splits: u32,
        grid: u32,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let at = self.lines();
        let Self { a, x, mut y, .. } = self;
        let of_row = a.layout().cols * B::UNITS / 2;
        let units = a.into_memory().values::<u16>();
        let stride = if at.rows == 1 { of_row } else { at.stride / 2 };
        let words = target.device.tensor_map(units.values::<u32>(), [at.rows, of_row], stride)?;
        let (groups, shared) = (grid / splits, if splits > 1 { splits as usize * at.rows } else { 0 });
        let mut partials: Buffer<f32> = target.device.alloc_uninit(shared)?;
        let mut arrived: Buffer<u32> = target.device.alloc_zeroed(groups as usize)?;
        Ok(step!(
            target,
            early(grid, THREADS, 1),
            gemv_quantized_digits::<B, LINES, TILES, WORDS>(
                &units,
                &words,
                &x,
                &mut y,
                at,
                splits,
                &mut partials,
                &mut arrived
            )
        ))
    }
}
