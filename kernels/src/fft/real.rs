//! `rfft` and `irfft`: their arguments, their plan and their launches.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Complex32;
use super::call::{Fft, MOST_BITS, settings};
use super::halves::{HalfRows, THREADS, fft_join_halves, fft_pair_up, fft_split_halves, fft_take_apart};
use super::real_rows::{LEAST_BITS, irfft_rows, rfft_rows};
use super::real_short::{self, RealRows, irfft_short_rows, rfft_short_rows};
use super::sequences::Span;
use super::ways::{MANY_FROM, MANY_OF_SPLIT_FROM, Rows, Tiles, in_packs, of_each};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, extents, matrix, matrix_mut, side_by_side};
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
/// Nothing reads the imaginary parts of the first and the last column, which are zero in spectra of real rows. Where rows take more than one
/// launch, the plan's workspace has a copy of the spectra, which [`workspace`](Call::workspace) does not limit.
///
/// # Errors
/// Those of [`rfft`], where `y` has `n` columns.
pub fn irfft<'a>(device: &Device, x: Matrix<'a, Complex32>, y: MatrixMut<'a, f32>) -> Call<'a, Irfft<'a>> {
    let scale = 1.0 / (y.layout().cols / 2).max(1) as f32;
    Call::new(device, Irfft { x, y, scale, workspace: None })
}

/// Why a call has one launch.
const IN_ONE_LAUNCH: &str = "a block transforms whole rows as complex ones of half the length";

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

/// Real rows and halves of their spectra.
#[derive(Clone, Copy)]
struct Real {
    rows: Layout,
    spectra: Layout,
    /// Whether the memory of the real rows is that of complex rows of half the length.
    is_paired: bool,
    /// Whether that is in packs of two complex numbers.
    in_packs: bool,
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
        let halved = Layout { row_stride: rows.row_stride / 2, ..rows };
        Self { rows, spectra, is_paired, in_packs: is_paired && in_packs(head, halved), workspace }
    }

    /// Elements of a complex row.
    fn len(&self) -> usize {
        self.rows.cols / 2
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

    /// The launches' rows, with `rows` elements from one complex row to the next.
    fn at(&self, spectra: usize, rows: usize) -> HalfRows {
        HalfRows { count: self.rows.rows, log: self.len().ilog2(), spectra, rows }
    }

    /// Blocks of `each` elements of complex rows for a thread.
    fn grid(&self, each: usize) -> u32 {
        let threads = self.rows.rows.saturating_mul((self.len() / each).max(1));
        grid_of(threads.div_ceil(THREADS as usize))
    }

    /// The launch that transforms whole rows in its blocks, if one can. Threads have more elements of complex rows of `2^many_from`, or longer.
    fn whole(&self, many_from: u32, limits: &Limits) -> Option<Tiles> {
        let log = self.len().ilog2();
        let is_one_launch = self.is_paired && self.rows.rows > 0 && log >= LEAST_BITS;
        Tiles::of_rows(log, self.rows.rows, many_from, limits).filter(|_| is_one_launch)
    }

    /// Whether a thread transforms a whole row.
    fn is_short(&self) -> bool {
        self.is_paired && self.rows.rows > 0 && self.len().ilog2() <= real_short::MOST_BITS
    }

    /// The plan of a call whose threads do. `kernel` is the name of its kernel.
    fn short_plan(&self, kernel: &'static str) -> Plan {
        Plan {
            kernel,
            types: "Complex32".to_owned(),
            tile: real_short::THREADS as usize * self.len(),
            grid: grid_of(self.rows.rows.div_ceil(real_short::THREADS as usize)),
            block: real_short::THREADS,
            shared: real_short::SHARED,
            workspace: 0,
            why: "a thread transforms a row as a complex one of half the length".to_owned(),
        }
    }

    /// The rows of its launch.
    fn short_rows(&self, factor: f32) -> RealRows {
        let (rows, spectra) = (self.rows.row_stride / 2, self.spectra.row_stride);
        RealRows { count: self.rows.rows, rows, spectra, factor }
    }

    /// Where the complex rows are, and where the halves of spectra.
    fn spans(&self) -> [Span; 2] {
        [self.rows.row_stride / 2, self.spectra.row_stride].map(Span::of_rows)
    }

    /// Bytes of complex rows that no argument has.
    fn spare(&self) -> usize {
        self.rows.rows * self.len() * size_of::<Complex32>()
    }

    /// The plan of a call whose own kernel has this name. `spare` bytes are for spectra, and `packs` is about the rows of the complex transform.
    fn plan(&self, kernel: &'static str, spare: usize, packs: bool, limits: &Limits, why: &str) -> Plan {
        if self.rows.rows == 0 {
            return Plan::nothing("Complex32".to_owned(), "`y` has no elements");
        }
        let complex =
            Rows { batch: self.rows.rows, len: self.len(), in_packs: packs, workspace: self.workspace };
        let copied = if self.is_paired { 0 } else { self.spare() };
        Plan {
            kernel,
            types: "Complex32".to_owned(),
            tile: 2 * THREADS as usize,
            grid: self.grid(2),
            block: THREADS,
            shared: 0,
            workspace: complex.workspace(limits) + spare + copied,
            why: why.to_owned(),
        }
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
        if real.is_short() {
            return Ok(real.short_plan("rfft_short_rows"));
        }
        if let Some(tiles) = real.whole(MANY_FROM, limits) {
            return Ok(tiles.plan("rfft_rows", 0, IN_ONE_LAUNCH.to_owned()));
        }
        let packs = real.in_packs && in_packs(self.y.memory().misalignment(), self.y.layout());
        let why =
            "pairs of elements are transformed as complex numbers, into halves of spectra that it joins";
        Ok(real.plan("fft_join_halves", 0, packs, limits, why))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (real, mut steps) = (self.real(), Vec::new());
        let (count, len, from, to) =
            (real.rows.rows, real.len(), real.rows.row_stride, real.spectra.row_stride);
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        if real.is_short() {
            let (x, rows, log) = (x.values::<Complex32>(), real.short_rows(self.scale), len.ilog2());
            return Ok(vec![step!(target, (plan.grid, plan.block), rfft_short_rows(&x, &mut y, rows, log))]);
        }
        if let Some(tiles) = real.whole(MANY_FROM, target.device.limits()) {
            let [from, to] = real.spans();
            let (x, at) = (x.values::<Complex32>(), tiles.sequences(count, self.scale, 0.0, from, to));
            let (grid, threads, bytes) = (tiles.grid, tiles.threads, tiles.shared);
            return Ok(vec![of_each!(tiles, N => step!(
                target,
                shared(grid, threads, bytes),
                rfft_rows::<N>(&x, &mut y, at, tiles.log)
            ))]);
        }
        let pairs = if real.is_paired {
            matrix(x.values::<Complex32>(), count, len)?.stride(from / 2)?
        } else {
            let mut pairs: Box<Buffer<Complex32>> = Box::new(target.device.alloc_uninit(count * len)?);
            // SAFETY: the step owns the buffer.
            let paired = unsafe { Input::of_step(&pairs) };
            let at = real.at(from, len);
            steps.push(step!(target, (real.grid(1), THREADS), fft_pair_up(&x, &mut *pairs, at)));
            matrix(paired, count, len)?
        };
        let spectra = matrix_mut(y.again(), count, len)?.stride(to)?;
        let complex =
            Fft { x: pairs, y: spectra, is_inverse: false, scale: self.scale, workspace: self.workspace };
        steps.extend(complex.steps(plan, target)?);
        let at = real.at(to, len);
        steps.push(step!(target, (plan.grid, THREADS), fft_join_halves(&mut y, at)));
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
        if real.is_short() {
            return Ok(real.short_plan("irfft_short_rows"));
        }
        if let Some(tiles) = real.whole(MANY_OF_SPLIT_FROM, limits) {
            return Ok(tiles.plan("irfft_rows", 0, IN_ONE_LAUNCH.to_owned()));
        }
        let packs = real.in_packs || !real.is_paired;
        let why =
            "it makes spectra of complex rows of halves of spectra, whose elements are pairs of real ones";
        Ok(real.plan("fft_split_halves", real.spare(), packs, limits, why))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (real, mut steps) = (self.real(), Vec::new());
        let (count, len, to) = (real.rows.rows, real.len(), real.rows.row_stride);
        let (x, mut y) = (self.x.into_memory(), self.y.into_memory());
        if real.is_short() {
            let (mut y, rows, log) = (y.into_values::<Complex32>(), real.short_rows(self.scale), len.ilog2());
            return Ok(vec![step!(target, (plan.grid, plan.block), irfft_short_rows(&x, &mut y, rows, log))]);
        }
        if let Some(tiles) = real.whole(MANY_OF_SPLIT_FROM, target.device.limits()) {
            let [to, from] = real.spans();
            let mut y = y.into_values::<Complex32>();
            let at = tiles.sequences(count, self.scale, 0.0, from, to);
            let (grid, threads, bytes) = (tiles.grid, tiles.threads, tiles.shared);
            return Ok(vec![of_each!(tiles, N => step!(
                target,
                shared(grid, threads, bytes),
                irfft_rows::<N>(&x, &mut y, at, tiles.log)
            ))]);
        }
        let mut split: Box<Buffer<Complex32>> = Box::new(target.device.alloc_uninit(count * len)?);
        // SAFETY: the step owns the buffer.
        let spectra = matrix(unsafe { Input::of_step(&split) }, count, len)?;
        let at = real.at(real.spectra.row_stride, len);
        steps.push(step!(target, (plan.grid, THREADS), fft_split_halves(&x, &mut *split, at)));
        let mut spare: Box<Buffer<Complex32>> =
            Box::new(target.device.alloc_uninit(if real.is_paired { 0 } else { count * len })?);
        let pairs = if real.is_paired {
            matrix_mut(y.again().into_values::<Complex32>(), count, len)?.stride(to / 2)?
        } else {
            // SAFETY: the last step owns the buffer.
            matrix_mut(unsafe { Output::of_step(&mut spare) }, count, len)?
        };
        let complex =
            Fft { x: spectra, y: pairs, is_inverse: true, scale: self.scale, workspace: self.workspace };
        steps.extend(complex.steps(plan, target)?);
        if !real.is_paired {
            let at = real.at(to, len);
            steps.push(step!(target, (real.grid(1), THREADS), fft_take_apart(&*spare, &mut y, at)));
        }
        Ok(steps)
    }
}
