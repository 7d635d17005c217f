//! Rows that are gathered by their numbers, or scattered to them.

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::call::word;
use super::kernels::THREADS;
use super::plan::{VALUES, lanes_of};
use crate::argument::{Input, Matrix, MatrixMut, Output, one_for_each, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::{PACK_BYTES, Pack};

/// Rows that a list of numbers names. Lengths are in elements or packs, whichever an instruction loads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Named {
    /// Numbers in the list.
    pub count: usize,
    /// Rows of the side that the numbers name.
    pub rows: usize,
    /// Values of a row.
    pub len: usize,
    /// From one row of the input to the next.
    pub x_stride: usize,
    /// From one row of the output to the next.
    pub y_stride: usize,
}

/// Copies row `numbers[i]` of `x` to row `i` of `y`, or, with `scatters`, row `i` of `x` to row `numbers[i]` of `y`.
///
/// `lanes` threads copy a piece of a row. Numbers beyond the rows are skipped.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn named_rows<V: GpuType>(
    x: &[V],
    numbers: &[u32],
    y: &mut [V],
    named: Named,
    #[comptime] lanes: u32,
    #[comptime] scatters: bool,
) {
    let lane = (thread_idx().x % lanes) as usize;
    let teams = (THREADS / lanes) as usize;
    let chunk = lanes as usize * VALUES;
    let chunks = named.len.div_ceil(chunk);
    let mut piece = block_idx().x as usize * teams + (thread_idx().x / lanes) as usize;
    while piece < named.count * chunks {
        let (i, first) = (piece / chunks, piece % chunks * chunk);
        let number = numbers[i] as usize;
        if number < named.rows {
            let (from, to) = if scatters { (i, number) } else { (number, i) };
            let len = chunk.min(named.len - first);
            let from = &x[from * named.x_stride + first..][..len];
            let to = &mut y[to * named.y_stride + first..][..len];
            #[unroll(8)]
            for k in (lane..len).step_by(lanes as usize) {
                to[k] = from[k];
            }
        }
        piece += grid_dim().x as usize * teams;
    }
}

/// Row `i` of `y` becomes row `numbers[i]` of `x`.
///
/// `x`: `[rows, cols]`, `numbers`: as many as `y` has rows, `y`: `[n, cols]`, of elements of any size and any stride between rows. A row of
/// `y` whose number is `rows` or more does not change.
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if lengths and extents do not fit or a matrix is transposed,
/// [`KernelError::Overlap`] if `y` shares memory with another argument.
pub fn gather_rows<'a, T: GpuType>(
    device: &Device,
    x: Matrix<'a, T>,
    numbers: impl SliceArg<'a, u32>,
    y: MatrixMut<'a, T>,
) -> Call<'a, NamedRows<'a, T>> {
    Call::new(device, NamedRows { x, numbers: Input::new(numbers), y, scatters: false })
}

/// Row `numbers[i]` of `y` becomes row `i` of `x`.
///
/// `x`: `[n, cols]`, `numbers`: as many as `x` has rows, `y`: `[rows, cols]`. A row of `x` whose number is `rows` or more is left out. If
/// a number occurs more than once, the row gets elements of any of these rows.
///
/// # Errors
/// Those of [`gather_rows`].
pub fn scatter_rows<'a, T: GpuType>(
    device: &Device,
    x: Matrix<'a, T>,
    numbers: impl SliceArg<'a, u32>,
    y: MatrixMut<'a, T>,
) -> Call<'a, NamedRows<'a, T>> {
    Call::new(device, NamedRows { x, numbers: Input::new(numbers), y, scatters: true })
}

/// A movement of the rows that a list of numbers names.
pub struct NamedRows<'a, T> {
    x: Matrix<'a, T>,
    numbers: Input<'a, u32>,
    y: MatrixMut<'a, T>,
    scatters: bool,
}

/// The accesses of a row.
struct Accesses {
    /// Bytes of an access.
    bytes: usize,
    named: Named,
    /// Threads that copy a piece.
    lanes: u32,
    grid: u32,
}

impl<T: GpuType> NamedRows<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (x, y) = (self.x.layout(), self.y.layout());
        side_by_side("x", x)?;
        side_by_side("y", y)?;
        if x.cols != y.cols {
            return Err(KernelError::Shape {
                what: "y",
                expected: format!("the {} columns of `x`", x.cols),
                got: format!("{} columns", y.cols),
                way_out: "pass matrices with rows of the same length",
            });
        }
        let (of, listed) = if self.scatters { ("row of `x`", x) } else { ("row of `y`", y) };
        one_for_each("numbers", self.numbers.len(), listed.rows, of)?;
        let memory = self.y.memory();
        memory.apart_from("y", self.x.memory(), "x")?;
        memory.apart_from("y", &self.numbers, "numbers")
    }

    /// Returns whether no byte is copied.
    fn is_empty(&self) -> bool {
        size_of::<T>() == 0 || self.numbers.is_empty() || self.x.layout().cols == 0
    }

    fn accesses(&self) -> Accesses {
        let (x, y) = (self.x.layout(), self.y.layout());
        let size = size_of::<T>();
        let in_packs = |elements: usize| elements.saturating_mul(size).is_multiple_of(PACK_BYTES);
        let is_packed = self.x.memory().misalignment() == Some(0)
            && self.y.memory().misalignment() == Some(0)
            && [x.cols, x.row_stride, y.row_stride].into_iter().all(in_packs);
        let bytes = if is_packed { PACK_BYTES } else { word::<T>().max(1) };
        let values = |elements: usize| elements.saturating_mul(size) / bytes;
        let rows = if self.scatters { y.rows } else { x.rows };
        let (len, count) = (values(x.cols), self.numbers.len());
        let (x_stride, y_stride) = (values(x.row_stride), values(y.row_stride));
        let lanes = lanes_of(len, bytes, VALUES);
        let pieces = len.div_ceil(lanes * VALUES).saturating_mul(count);
        let grid = pieces.div_ceil(THREADS as usize / lanes).min(MOST_BLOCKS) as u32;
        Accesses { bytes, named: Named { count, rows, len, x_stride, y_stride }, lanes: lanes as u32, grid }
    }
}

impl<'a, T: GpuType> Family<'a> for NamedRows<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        if self.is_empty() {
            return Ok(Plan::nothing(short_name::<T>(), "there are no elements"));
        }
        let Accesses { bytes, named, lanes, grid } = self.accesses();
        let tile = (named.len * bytes / size_of::<T>().max(1)).min(lanes as usize * VALUES);
        Ok(Plan {
            kernel: "named_rows",
            types: short_name::<T>(),
            tile: tile * (THREADS / lanes) as usize,
            grid,
            block: THREADS,
            shared: 0,
            workspace: 0,
            why: format!("{lanes} threads copy a piece of a row; accesses of {bytes} bytes"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let accesses = self.accesses();
        let Self { x, numbers, y, scatters } = self;
        let (x, y) = (x.into_memory(), y.into_memory());
        Ok(vec![match accesses.bytes {
            1 => launched::<u8>(x.values(), numbers, y.into_values(), accesses, scatters, target)?,
            2 => launched::<u16>(x.values(), numbers, y.into_values(), accesses, scatters, target)?,
            4 => launched::<u32>(x.values(), numbers, y.into_values(), accesses, scatters, target)?,
            8 => launched::<u64>(x.values(), numbers, y.into_values(), accesses, scatters, target)?,
            _ => launched::<Pack<u32, 4>>(x.values(), numbers, y.into_values(), accesses, scatters, target)?,
        }])
    }
}

/// The launch with accesses of one size.
fn launched<'a, V: GpuType + 'static>(
    x: Input<'a, V>,
    numbers: Input<'a, u32>,
    mut y: Output<'a, V>,
    Accesses { named, lanes, grid, .. }: Accesses,
    scatters: bool,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    Ok(step!(target, (grid, THREADS), named_rows::<V>(&x, &numbers, &mut y, named, lanes, scatters)))
}
