//! `histogram`: its arguments, and the choice of the kernel.

use warpsmith::Device;
use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;

use super::binned::Bounded;
use super::kernels::{BLOCK_THREADS, Values, clear_bins, histogram_by_blocks, histogram_in_memory};
use super::sums::Weight;
use super::sums_call::{self, Place};
use crate::argument::{Input, Output, Packs, length, one_for_each};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// The most bins: `2^20`.
const MOST_BINS: usize = 1 << 20;
/// Bytes of shared memory for the copies of a block's counters. Larger counters have one copy.
pub(super) const COPIED: usize = 32 << 10;
/// The least number of values for each thread.
const VALUES_PER_THREAD: usize = 64;

/// Counts the values of `x` in each of `bins.len()` bins.
///
/// Bin `i` counts the values that equal `i`, or, with a [`range`](Call::range), the values in its equal share of the range, or those
/// between two [`edges`](Call::edges). Other values are not counted unless the call is [`clamped`](Call::clamped), and NaNs never are.
/// Counts are `u32` and wrap around. There are 2 to `2^20` bins. `x` may have any length and alignment. The time hardly depends on the
/// values.
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
    Call::new(device, Histogram { x, weights: None, bins, division: Division::Unit, is_clamped: false })
}

/// Adds up the weights of the values of `x` in each of `bins.len()` bins.
///
/// Bins are as in [`histogram`]. `weights` has a weight for each value: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`. Sums have the same
/// type. Those of integers wrap. Floats are added in an order that may differ from launch to launch, and so may the last bits of their
/// sums. A NaN among the weights makes the sum of its bin NaN.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::histogram::weighted_histogram;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[0u8, 2, 2, 9])?;
/// let weights = gpu.upload(&[0.5f32, 1.0, 0.25, 4.0])?;
/// let mut bins = gpu.alloc_zeroed::<f32>(3)?;
/// weighted_histogram(&gpu, &x, &weights, &mut bins).run()?;
/// assert_eq!(gpu.download(&bins)?, [0.5, 0.0, 1.25]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of [`histogram`], and [`KernelError::Shape`] unless there is a weight for each value.
pub fn weighted_histogram<'a, T: Bounded, W: Weight>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    weights: impl SliceArg<'a, W>,
    bins: impl SliceMutArg<'a, W>,
) -> Call<'a, Histogram<'a, T, W>> {
    let (x, weights, bins) = (Input::new(x), Some(Input::new(weights)), Output::new(bins));
    Call::new(device, Histogram { x, weights, bins, division: Division::Unit, is_clamped: false })
}

/// A histogram of values.
pub struct Histogram<'a, T, W = u32> {
    pub(super) x: Input<'a, T>,
    pub(super) weights: Option<Input<'a, W>>,
    pub(super) bins: Output<'a, W>,
    division: Division<'a, T>,
    pub(super) is_clamped: bool,
}

/// How values are divided into bins.
enum Division<'a, T> {
    /// Bins of width one, from zero on.
    Unit,
    /// Even bins of a range.
    Even(T, T),
    /// Bins between edges.
    Edges(Input<'a, T>),
}

impl<'a, T: Bounded, W: Weight> Call<'a, Histogram<'a, T, W>> {
    /// Divides `low..high` into even bins. Default: bins of width one, from zero on.
    ///
    /// The bin of `x` is `(x - low) * bins / (high - low)`, rounded down. For floats this is computed in `f32`: a value within a few
    /// ulp of a bin's bound may be counted in the neighbouring bin.
    pub fn range(self, low: T, high: T) -> Self {
        self.map(|histogram| Histogram { division: Division::Even(low, high), ..histogram })
    }

    /// Counts in bin `i` the values from `edges[i]` up to and without `edges[i + 1]`, as CUB's `HistogramRange` does.
    ///
    /// `edges` has one element more than there are bins, of which there may be a single one. Edges ascend; a bin between equal edges
    /// has no values. A value that equals the last edge is outside the range; NumPy counts it in the last bin. The call does not check
    /// the order of the edges: if they do not ascend, values are counted in arbitrary bins.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    /// use warpsmith_kernels::histogram::histogram;
    ///
    /// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
    /// # let gpu = Device::simulator();
    /// let x = gpu.upload(&[0.5f32, 9.5, 2.5, 100.0, f32::NAN])?;
    /// let edges = gpu.upload(&[0.0f32, 1.0, 10.0, 100.0])?;
    /// let mut bins = gpu.alloc_zeroed::<u32>(3)?;
    /// histogram(&gpu, &x, &mut bins).edges(&edges).run()?;
    /// assert_eq!(gpu.download(&bins)?, [1, 2, 0]);
    /// # Ok(()) }
    /// ```
    pub fn edges(self, edges: impl SliceArg<'a, T>) -> Self {
        self.map(|histogram| Histogram { division: Division::Edges(Input::new(edges)), ..histogram })
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

/// Counters from one of a block's copies to the next: the copies of a bin are in different banks.
pub(super) fn stride_of(copies: usize, counters: usize) -> usize {
    if copies > 1 { counters.next_multiple_of(32) + 1 } else { counters }
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
                let stride = stride_of(copies, words);
                Shared { bytes: copies * stride * size_of::<u32>(), stride }
            }
            Way::Memory => Shared { bytes: 0, stride: 0 },
        }
    }
}

impl<'a, T: Bounded, W: Weight> Histogram<'a, T, W> {
    /// The bounds of even bins; of bins between edges, any.
    pub(super) fn bounds(&self) -> Result<T::Bounds, KernelError> {
        let bins = self.bins.len();
        let least = if self.edges().is_some() { 1 } else { 2 };
        if !(least..=MOST_BINS).contains(&bins) {
            return Err(KernelError::Shape {
                what: "bins",
                expected: format!("{least} to {MOST_BINS} elements"),
                got: format!("{bins} elements"),
                way_out: "pass a part of that length",
            });
        }
        let bins = bins as u32;
        let Division::Even(low, high) = self.division else { return Ok(T::unit(bins, self.is_clamped)) };
        T::even(low, high, bins, self.is_clamped).map_err(|got| KernelError::Shape {
            what: "range",
            expected: format!(
                "at least a value for each of {bins} bins, from a finite one to a larger finite one"
            ),
            got,
            way_out: "pass a wider range, or fewer bins",
        })
    }

    /// The edges of bins.
    pub(super) fn edges(&self) -> Option<&Input<'a, T>> {
        match &self.division {
            Division::Edges(edges) => Some(edges),
            Division::Unit | Division::Even(..) => None,
        }
    }

    fn check(&self) -> Result<(), KernelError> {
        self.bounds()?;
        self.bins.apart_from("bins", &self.x, "x")?;
        if let Some(weights) = &self.weights {
            one_for_each("weights", weights.len(), self.x.len(), "value of `x`")?;
            self.bins.apart_from("bins", weights, "weights")?;
        }
        let Some(edges) = self.edges() else { return Ok(()) };
        length("edges", edges.len(), self.bins.len() + 1, "one more than there are bins")?;
        self.bins.apart_from("bins", edges, "edges")
    }

    /// Whether counters add ones, for even bins.
    fn is_plain(&self) -> bool {
        self.weights.is_none() && self.edges().is_none()
    }

    /// The kernel, its shared memory, and why it was chosen.
    fn kernel(&self, limits: &Limits) -> (&'static str, usize, String) {
        let bins = self.bins.len();
        if !self.is_plain() {
            let edges = self.edges().map_or(0, Input::len);
            return Place::of::<T, W>(bins, edges, limits).plan(edges > 0);
        }
        let way = Way::of(bins, limits);
        let (kernel, why) = match way {
            Way::Block { is_packed: false, copies } => {
                ("histogram_by_blocks", format!("the lanes of a block share {copies} copies of the counters"))
            }
            Way::Block { is_packed: true, .. } => {
                ("histogram_by_blocks", "a block shares counters of 16 bits".to_owned())
            }
            Way::Memory => ("histogram_in_memory", "the bins outgrow shared memory".to_owned()),
        };
        (kernel, way.shared(bins).bytes, why)
    }
}

impl<'a, T: Bounded, W: Weight> Family<'a> for Histogram<'a, T, W> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let (kernel, shared, why) = self.kernel(limits);
        let block = BLOCK_THREADS;
        let fit = limits.shared_per_multiprocessor / (shared + limits.shared_reserved_per_block).max(1);
        let resident = fit.min((limits.threads_per_multiprocessor / block) as usize).max(1);
        let most = limits.multiprocessors.max(1) as usize * resident;
        let grid = self.x.len().div_ceil(block as usize * VALUES_PER_THREAD).clamp(1, most) as u32;
        Ok(Plan {
            kernel,
            types: match self.weights {
                Some(_) => format!("{}, {}", short_name::<T>(), short_name::<W>()),
                None => short_name::<T>(),
            },
            tile: self.x.len().div_ceil(grid as usize),
            grid,
            block,
            shared,
            workspace: 0,
            why,
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if !self.is_plain() {
            return sums_call::steps(self, plan.grid, target);
        }
        let bounds = self.bounds()?;
        // Without weights, bins are words.
        let (x, bins) = (self.x, self.bins.into_values::<u32>());
        match size_of::<T>() {
            1 => steps::<T, 16>(x, bins, bounds, plan, target),
            2 => steps::<T, 8>(x, bins, bounds, plan, target),
            4 => steps::<T, 4>(x, bins, bounds, plan, target),
            _ => steps::<T, 2>(x, bins, bounds, plan, target),
        }
    }
}

/// The launches that count in even bins.
fn steps<'a, T: Bounded, const N: usize>(
    x: Input<'a, T>,
    mut bins: Output<'a, u32>,
    bounds: T::Bounds,
    plan: &Plan,
    target: &Target,
) -> Result<Vec<Step<'a>>, KernelError> {
    let mut cleared = bins.again();
    let clear = step!(
        target,
        ((bins.len() as u32).div_ceil(BLOCK_THREADS).min(plan.grid.max(64)), BLOCK_THREADS),
        clear_bins::<u32>(&mut cleared)
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
                ($packed:literal) => {
                    step!(
                        target,
                        shared(grid, block, bytes),
                        histogram_by_blocks::<T, N, $packed>(
                            &x, &packs, values, bounds, copies, stride, &mut bins,
                        )
                    )
                };
            }
            if is_packed { by_blocks!(true) } else { by_blocks!(false) }
        }
        Way::Memory => {
            step!(target, (grid, block), histogram_in_memory::<T, N>(&x, &packs, values, bounds, &mut bins))
        }
    };
    Ok(vec![clear, count])
}
