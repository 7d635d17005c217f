//! `histogram`: its arguments, and the choice of the kernel.

use warpsmith::Device;
use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;

use super::binned::Bounded;
use super::kernels::{BLOCK_THREADS, Values, clear_bins, histogram_by_blocks, histogram_in_memory};
use crate::argument::{Input, Output, Packs};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// The most bins: `2^20`.
const MOST_BINS: usize = 1 << 20;
/// Bytes of shared memory for the copies of a block's counters. Larger counters have one copy.
const COPIED: usize = 32 << 10;
/// The least number of values for each thread.
const VALUES_PER_THREAD: usize = 64;

/// Counts the values of `x` in each of `bins.len()` bins.
///
/// Bin `i` counts the values that equal `i`, or, with a [`range`](Call::range), the values in its equal share of the range. Other
/// values are not counted unless the call is [`clamped`](Call::clamped), and NaNs never are. Counts are `u32` and wrap around. There
/// are 2 to `2^20` bins. `x` may have any length and alignment. The time hardly depends on the values.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::histogram::histogram;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[0.5f32, 9.5, 2.5, 2.0, 11.0, f32::NAN])?;
/// let mut bins = gpu.alloc_zeroed::<u32>(5)?;
/// histogram(&gpu, &x, &mut bins).range(0.0, 10.0).run()?;
/// assert_eq!(gpu.download(&bins)?, [1, 2, 0, 0, 1]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods for any other number of bins, and for a range with fewer values than bins.
pub fn histogram<'a, T: Bounded>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    bins: impl SliceMutArg<'a, u32>,
) -> Call<'a, Histogram<'a, T>> {
    let (x, bins) = (Input::new(x), Output::new(bins));
    Call::new(device, Histogram { x, bins, range: None, is_clamped: false })
}

/// A histogram of values.
pub struct Histogram<'a, T> {
    x: Input<'a, T>,
    bins: Output<'a, u32>,
    range: Option<(T, T)>,
    is_clamped: bool,
}

impl<'a, T: Bounded> Call<'a, Histogram<'a, T>> {
    /// Divides `low..high` into even bins. Default: bins of width one, from zero on.
    ///
    /// The bin of `x` is `(x - low) * bins / (high - low)`, rounded down. For floats this is computed in `f32`: a value within a few
    /// ulp of a bin's bound may be counted in the neighbouring bin.
    pub fn range(self, low: T, high: T) -> Self {
        self.map(|histogram| Histogram { range: Some((low, high)), ..histogram })
    }

    /// Counts values below the range in the first bin, and those above it in the last.
    pub fn clamped(self) -> Self {
        self.map(|histogram| Histogram { is_clamped: true, ..histogram })
    }
}

/// Memory of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Shared memory: words or halves of words that a block shares.
    Block { is_packed: bool, copies: usize },
    /// Global memory.
    Memory,
}

/// Shared memory of a block.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Bytes of all copies.
    bytes: usize,
    /// Words from one copy of the counters to the next.
    stride: usize,
}

impl Way {
    /// The first way that fits a number of bins.
    fn of(bins: usize, limits: &Limits) -> Self {
        if bins * 4 <= limits.shared_opt_in / 3 {
            Way::Block { is_packed: false, copies: (COPIED / (bins * 4)).clamp(1, 32) }
        } else if bins.div_ceil(2) * 4 <= limits.shared_opt_in {
            Way::Block { is_packed: true, copies: 1 }
        } else {
            Way::Memory
        }
    }

    /// The shared memory for a number of bins.
    fn shared(self, bins: usize) -> Shared {
        match self {
            Way::Block { is_packed, copies } => {
                let words = if is_packed { bins.div_ceil(2) } else { bins };
                // The copies of a bin are in different banks.
                let stride = if copies > 1 { words.next_multiple_of(32) + 1 } else { words };
                Shared { bytes: copies * stride * size_of::<u32>(), stride }
            }
            Way::Memory => Shared { bytes: 0, stride: 0 },
        }
    }
}

impl<T: Bounded> Histogram<'_, T> {
    fn bounds(&self) -> Result<T::Bounds, KernelError> {
        let bins = self.bins.len();
        if !(2..=MOST_BINS).contains(&bins) {
            return Err(KernelError::Shape {
                what: "bins",
                expected: format!("2 to {MOST_BINS} elements"),
                got: format!("{bins} elements"),
                way_out: "pass a part of that length",
            });
        }
        let bins = bins as u32;
        let Some((low, high)) = self.range else { return Ok(T::unit(bins, self.is_clamped)) };
        T::even(low, high, bins, self.is_clamped).map_err(|got| KernelError::Shape {
            what: "range",
            expected: format!(
                "at least a value for each of {bins} bins, from a finite one to a larger finite one"
            ),
            got,
            way_out: "pass a wider range, or fewer bins",
        })
    }
}

impl<'a, T: Bounded> Family<'a> for Histogram<'a, T> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.bounds()?;
        self.bins.apart_from("bins", &self.x, "x")?;
        let bins = self.bins.len();
        let way = Way::of(bins, limits);
        let shared = way.shared(bins).bytes;
        let (kernel, block, why) = match way {
            Way::Block { is_packed: false, copies } => (
                "histogram_by_blocks",
                BLOCK_THREADS,
                format!("the lanes of a block share {copies} copies of the counters"),
            ),
            Way::Block { is_packed: true, .. } => {
                ("histogram_by_blocks", BLOCK_THREADS, "a block shares counters of 16 bits".to_owned())
            }
            Way::Memory => {
                ("histogram_in_memory", BLOCK_THREADS, "the bins outgrow shared memory".to_owned())
            }
        };
        let fit = limits.shared_per_multiprocessor / (shared + limits.shared_reserved_per_block).max(1);
        let resident = fit.min((limits.threads_per_multiprocessor / block) as usize).max(1);
        let most = limits.multiprocessors.max(1) as usize * resident;
        let grid = self.x.len().div_ceil(block as usize * VALUES_PER_THREAD).clamp(1, most) as u32;
        Ok(Plan {
            kernel,
            types: short_name::<T>(),
            tile: self.x.len().div_ceil(grid as usize),
            grid,
            block,
            shared,
            workspace: 0,
            why,
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        match size_of::<T>() {
            1 => steps::<T, 16>(self, plan, target),
            2 => steps::<T, 8>(self, plan, target),
            _ => steps::<T, 4>(self, plan, target),
        }
    }
}

fn steps<'a, T: Bounded, const N: usize>(
    call: Histogram<'a, T>,
    plan: &Plan,
    target: &Target,
) -> Result<Vec<Step<'a>>, KernelError> {
    let bounds = call.bounds()?;
    let Histogram { x, mut bins, .. } = call;
    let mut cleared = bins.again();
    let clear = step!(
        target,
        ((bins.len() as u32).div_ceil(BLOCK_THREADS).min(plan.grid.max(64)), BLOCK_THREADS),
        clear_bins(&mut cleared)
    );
    let Packs { head, packs } = x.packs::<N>();
    let values = Values { head, tail: head + packs.len() * N };
    let (grid, block) = (plan.grid, plan.block);
    let way = Way::of(bins.len(), target.device.limits());
    let Shared { bytes, stride } = way.shared(bins.len());
    let count = match way {
        Way::Block { is_packed, copies } => {
            let (copies, stride) = (copies as u32, stride as u32);
            macro_rules! by_blocks {
                ($packed:literal) => {{
                    let launch = histogram_by_blocks::<T, N, $packed>(
                        &x, &packs, values, bounds, copies, stride, &mut bins,
                    );
                    let ready = target.prepare(launch.grid(grid).block(block).dynamic_shared(bytes))?;
                    Step::new(move || {
                        Ok(ready.launch(histogram_by_blocks::<T, N, $packed>(
                            &x, &packs, values, bounds, copies, stride, &mut bins,
                        ))?)
                    })
                }};
            }
            if is_packed { by_blocks!(true) } else { by_blocks!(false) }
        }
        Way::Memory => {
            step!(target, (grid, block), histogram_in_memory::<T, N>(&x, &packs, values, bounds, &mut bins))
        }
    };
    Ok(vec![clear, count])
}
