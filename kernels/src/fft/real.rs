//! `rfft` and `irfft`: their arguments, their plan and their launches.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Complex32;
use super::call::{MOST_BITS, settings};
use super::halves::{HalfRows, THREADS, fft_pair_up, fft_take_apart};
use super::kernel::fft_tile;
use super::matrices::{InPairs, Matrices, Passes, in_two_launches};
use super::radix::{BITS, ELEMENTS};
use super::real_long::{irfft_split_columns, rfft_join_rows};
use super::real_rows::{irfft_rows, rfft_rows};
use super::real_short::{self, RealRows, irfft_short_rows, rfft_short_rows};
use super::sequences::Span;
use super::ways::{MANY_FROM, MANY_OF_SPLIT_FROM, Rows, Tiles, of_each};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, extents, side_by_side};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, step};
use crate::error::KernelError;

/// The spectra of the real rows of `x`, up to the middle: `y[b, k]` is the sum of `x[b, j] * exp(-2πi * j * k / n)`. The rest of the
/// spectrum is the complex conjugate, mirrored. `x`: `[batch, n]`, `y`: `[batch, n / 2 + 1]`, of any row stride; `n` is a power of two from
/// 2 to 2^20.
///
/// | setting | each element becomes |
/// |---|---|
/// | [`scale(s)`](Call::scale) | `s` times what it is without |
///
/// Errors of results are those of [`fft`](super::fft()). Rows whose elements are not adjacent pairs aligned to 8 bytes are copied first:
/// the plan's workspace includes these copies, which [`workspace`](Call::workspace) does not limit.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::fft::{Complex32, rfft};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[1.0f32, 0.0, -1.0, 0.0])?;
/// let mut y = gpu.alloc_zeroed::<Complex32>(3)?;
/// rfft(&gpu, matrix(&x, 1, 4)?, matrix_mut(&mut y, 1, 3)?).run()?;
/// let parts: Vec<f32> = gpu.download(&y)?.iter().map(|y| y.re).collect();
/// assert_eq!(parts, [0.0, 2.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `n` is a power of two from 2 to 2^20 and `y` has `n / 2 + 1` columns, with rows
/// that lie side by side; [`KernelError::Overlap`] if they share memory.
pub fn rfft<'a>(device: &Device, x: Matrix<'a, f32>, y: MatrixMut<'a, Complex32>) -> Call<'a, Rfft<'a>> {
    Call::new(device, Rfft { x, y, scale: 1.0, workspace: None })
}

/// The real rows whose spectra are the rows of `x` up to the middle, the inverse of [`rfft`]. `x`: `[batch, n / 2 + 1]`, `y`: `[batch, n]`.
///
/// Nothing reads the imaginary parts of the first and the last column, which are zero in spectra of real rows. Rows whose elements are not
/// adjacent pairs aligned to 8 bytes are made in the plan's workspace, and then copied.
///
/// # Errors
/// Those of [`rfft`], where `y` has `n` columns.
pub fn irfft<'a>(device: &Device, x: Matrix<'a, Complex32>, y: MatrixMut<'a, f32>) -> Call<'a, Irfft<'a>> {
    let scale = 1.0 / (y.layout().cols / 2).max(1) as f32;
    Call::new(device, Irfft { x, y, scale, workspace: None })
}

/// Transforms of real rows with their arguments.
pub struct Rfft<'a> {
    x: Matrix<'a, f32>,
    y: MatrixMut<'a, Complex32>,
    scale: f32,
    workspace: Option<usize>,
}

/// Inverse transforms of halves of spectra with their arguments.
pub struct Irfft<'a> {
    x: Matrix<'a, Complex32>,
    y: MatrixMut<'a, f32>,
    scale: f32,
    workspace: Option<usize>,
}

settings! { Rfft Irfft }

/// In a block, a thread has elements of one row alone.
const _: () = assert!(real_short::MOST_BITS + 1 >= BITS);

/// How complex rows of half the length are transformed, and the halves of spectra joined or split.
enum Way {
    /// Threads take whole rows.
    Short { grid: u32 },
    /// Blocks take whole rows.
    Rows(Tiles),
    /// A row is a matrix, whose columns and then rows are transformed.
    Matrices(Matrices),
}

/// Real rows and halves of their spectra.
#[derive(Clone, Copy)]
struct Real {
    rows: Layout,
    spectra: Layout,
    /// Whether the memory of the real rows is that of complex rows of half the length.
    is_paired: bool,
    workspace: Option<usize>,
}

/// The layout, where a single row is as far from the next as it is long. A transposed column has another stride, which nothing uses.
fn alone_or_apart(of: Layout) -> Layout {
    if of.rows <= 1 { Layout { row_stride: of.cols, ..of } } else { of }
}

impl Real {
    fn new(rows: Layout, head: Option<usize>, spectra: Layout, workspace: Option<usize>) -> Self {
        let [rows, spectra] = [rows, spectra].map(alone_or_apart);
        let is_even = rows.row_stride.is_multiple_of(2);
        let is_paired = is_even && head.is_some_and(|head| head.is_multiple_of(2));
        Self { rows, spectra, is_paired, workspace }
    }

    /// Elements of a complex row.
    fn len(&self) -> usize {
        self.rows.cols / 2
    }

    /// Elements from one complex row to the next: copies follow one another without gaps.
    fn apart(&self) -> usize {
        if self.is_paired { self.rows.row_stride / 2 } else { self.len() }
    }

    /// Refuses other lengths than powers of two, and halves of spectra of other lengths. The real rows have the name `real`.
    fn check(&self, real: &'static str, spectra: &'static str) -> Result<(), KernelError> {
        side_by_side(real, self.rows)?;
        side_by_side(spectra, self.spectra)?;
        let n = self.rows.cols;
        if n < 2 || !n.is_power_of_two() || n > 1 << MOST_BITS {
            return Err(KernelError::Shape {
                what: real,
                expected: format!("a power of two of them, from 2 to {}", 1 << MOST_BITS),
                got: format!("{n} columns"),
                way_out: "fill rows up with zeros, or transform their parts",
            });
        }
        let why = format!("one more than half of the columns of `{real}`");
        extents(spectra, self.spectra, [self.rows.rows, n / 2 + 1], &why)
    }

    /// Threads have more elements of complex rows of `2^many_from` or more. `pairs` says which launch of matrices takes pairs.
    fn way(&self, many_from: u32, pairs: InPairs, limits: &Limits) -> Way {
        let log = self.len().ilog2();
        if log <= real_short::MOST_BITS {
            return Way::Short { grid: grid_of(self.rows.rows.div_ceil(real_short::THREADS as usize)) };
        }
        match Tiles::of_rows(log, self.rows.rows, many_from, limits) {
            Some(tiles) => Way::Rows(tiles),
            None => Way::Matrices(Matrices::of_real(log, self.at_once(), pairs, limits)),
        }
    }

    /// Rows that have room in the workspace between two launches.
    fn at_once(&self) -> usize {
        let Self { workspace, .. } = *self;
        Rows { batch: self.rows.rows, len: self.len(), in_packs: false, workspace }.at_once()
    }

    /// The plan of a call that takes this way, by the kernel for rows of its length.
    fn plan(&self, way: &Way, [short, rows, matrices]: [&'static str; 3], pairs: InPairs) -> Plan {
        let copied = if self.is_paired { 0 } else { self.rows.rows };
        let bytes = |rows: usize| rows * self.len() * size_of::<Complex32>();
        match way {
            Way::Short { grid } => Plan {
                kernel: short,
                types: "Complex32".to_owned(),
                tile: real_short::THREADS as usize * self.len(),
                grid: *grid,
                block: real_short::THREADS,
                shared: real_short::SHARED,
                workspace: bytes(copied),
                why: "a thread transforms a row as a complex one of half the length".to_owned(),
            },
            Way::Rows(tiles) => {
                let why = "a block transforms whole rows as complex ones of half the length";
                tiles.plan(rows, bytes(copied), why.to_owned())
            }
            Way::Matrices(of) => {
                let (tiles, what) = match pairs {
                    InPairs::Columns => (of.columns, "columns are transformed, of halves of spectra"),
                    InPairs::Rows => (of.rows, "rows are transformed, into halves of spectra"),
                };
                let why = format!("complex rows of half the length are matrices, whose {what} in one launch");
                tiles.plan(matrices, bytes(self.at_once() + copied), why)
            }
        }
    }

    /// The rows of a launch of threads that take whole ones.
    fn short_rows(&self, factor: f32) -> RealRows {
        RealRows { count: self.rows.rows, rows: self.apart(), spectra: self.spectra.row_stride, factor }
    }

    /// Where the complex rows are, and where the halves of spectra.
    fn spans(&self) -> [Span; 2] {
        [self.apart(), self.spectra.row_stride].map(Span::of_rows)
    }

    /// The rows of a launch that copies them, and its grid.
    fn copied(&self) -> (HalfRows, u32) {
        let count = self.rows.rows;
        let at = HalfRows { count, log: self.len().ilog2(), apart: self.rows.row_stride };
        (at, grid_of(count.saturating_mul(self.len()).div_ceil(THREADS as usize)))
    }

    /// Memory for complex rows that no argument has.
    fn spare(&self, target: &Target, rows: usize) -> Result<Box<Buffer<Complex32>>, KernelError> {
        Ok(Box::new(target.device.alloc_uninit(rows * self.len())?))
    }
}

impl Rfft<'_> {
    fn real(&self) -> Real {
        Real::new(self.x.layout(), self.x.memory().misalignment(), self.y.layout(), self.workspace)
    }
}

impl<'a> Family<'a> for Rfft<'a> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let real = self.real();
        real.check("x", "y")?;
        self.y.memory().apart_from("y", self.x.memory(), "x")?;
        if real.rows.rows == 0 {
            return Ok(Plan::nothing("Complex32".to_owned(), "`y` has no elements"));
        }
        let way = real.way(MANY_FROM, InPairs::Rows, limits);
        Ok(real.plan(&way, ["rfft_short_rows", "rfft_rows", "rfft_join_rows"], InPairs::Rows))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (real, scale, mut steps) = (self.real(), self.scale, Vec::new());
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        let x = if real.is_paired {
            x.values::<Complex32>()
        } else {
            let mut pairs = real.spare(target, real.rows.rows)?;
            // SAFETY: the step owns the buffer.
            let paired = unsafe { Input::of_step(&pairs) };
            let (at, grid) = real.copied();
            steps.push(step!(target, (grid, THREADS), fft_pair_up(&x, &mut *pairs, at)));
            paired
        };
        let (count, log) = (real.rows.rows, real.len().ilog2());
        steps.push(match real.way(MANY_FROM, InPairs::Rows, target.device.limits()) {
            Way::Short { grid } => {
                let rows = real.short_rows(scale);
                step!(target, (grid, real_short::THREADS), rfft_short_rows(&x, &mut y, rows, log))
            }
            Way::Rows(tiles) => {
                let [from, to] = real.spans();
                let at = tiles.sequences(count, scale, 0.0, from, to);
                let (grid, threads, bytes) = (tiles.grid, tiles.threads, tiles.shared);
                of_each!(tiles, N => step!(
                    target,
                    shared(grid, threads, bytes),
                    rfft_rows::<N>(&x, &mut y, at, log)
                ))
            }
            Way::Matrices(matrices) => {
                let passes = Passes { matrices, from: real.apart(), to: real.spectra.row_stride, scale };
                let mut spare = real.spare(target, real.at_once())?;
                let (down, along) = (matrices.columns.log, matrices.rows.log);
                in_two_launches!(
                    target, passes, count, real.at_once(),
                    at => fft_tile::<ELEMENTS>(&x, &mut *spare, at, down, true, true, true, false, false),
                    at => rfft_join_rows(&*spare, &mut y, at, along),
                )
            }
        });
        Ok(steps)
    }
}

impl Irfft<'_> {
    fn real(&self) -> Real {
        Real::new(self.y.layout(), self.y.memory().misalignment(), self.x.layout(), self.workspace)
    }
}

impl<'a> Family<'a> for Irfft<'a> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let real = self.real();
        real.check("y", "x")?;
        self.y.memory().apart_from("y", self.x.memory(), "x")?;
        if real.rows.rows == 0 {
            return Ok(Plan::nothing("Complex32".to_owned(), "`y` has no elements"));
        }
        let way = real.way(MANY_OF_SPLIT_FROM, InPairs::Columns, limits);
        Ok(real.plan(&way, ["irfft_short_rows", "irfft_rows", "irfft_split_columns"], InPairs::Columns))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (real, scale) = (self.real(), self.scale);
        let (x, mut reals) = (self.x.into_memory(), self.y.into_memory());
        let mut pairs = real.spare(target, if real.is_paired { 0 } else { real.rows.rows })?;
        let mut y = if real.is_paired {
            reals.again().into_values::<Complex32>()
        } else {
            // SAFETY: the last step owns the buffer.
            unsafe { Output::of_step(&mut pairs) }
        };
        let (count, log) = (real.rows.rows, real.len().ilog2());
        let mut steps = vec![match real.way(MANY_OF_SPLIT_FROM, InPairs::Columns, target.device.limits()) {
            Way::Short { grid } => {
                let rows = real.short_rows(scale);
                step!(target, (grid, real_short::THREADS), irfft_short_rows(&x, &mut y, rows, log))
            }
            Way::Rows(tiles) => {
                let [to, from] = real.spans();
                let at = tiles.sequences(count, scale, 0.0, from, to);
                let (grid, threads, bytes) = (tiles.grid, tiles.threads, tiles.shared);
                of_each!(tiles, N => step!(
                    target,
                    shared(grid, threads, bytes),
                    irfft_rows::<N>(&x, &mut y, at, log)
                ))
            }
            Way::Matrices(matrices) => {
                let passes = Passes { matrices, from: real.spectra.row_stride, to: real.apart(), scale };
                let mut spare = real.spare(target, real.at_once())?;
                let (down, along) = (matrices.columns.log, matrices.rows.log);
                in_two_launches!(
                    target, passes, count, real.at_once(),
                    at => irfft_split_columns(&x, &mut *spare, at, down),
                    at => fft_tile::<ELEMENTS>(&*spare, &mut y, at, along, false, true, false, false, true),
                )
            }
        }];
        if !real.is_paired {
            let (at, grid) = real.copied();
            steps.push(step!(target, (grid, THREADS), fft_take_apart(&*pairs, &mut reals, at)));
        }
        Ok(steps)
    }
}
