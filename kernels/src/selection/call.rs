//! `select`, `partition` and `unique`.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::kernel::select_kernel;
use super::selectors::{Distinct, Flagged, Matching, Predicate, Selector};
use super::tiles::{Tiling, check, empty, nothing, step_by_shape};
use crate::argument::{Input, Output, Packs, length};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::comparable::Comparable;
use crate::error::KernelError;
use crate::reduction::Truth;
use crate::scan::tiles::tiles_step;
use crate::scan::{Exchange, Tiles};

/// Writes the elements of `x` with a true flag to the front of `y`, in their order, and their number to `count[0]`.
///
/// `y` may be shorter than `x`: elements that do not fit are counted, but not written. The rest of `y` does not change.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::selection::select;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[1.5f32, 2.5, 3.5, 4.5])?;
/// let flags = gpu.upload(&[true, false, false, true])?;
/// let (mut y, mut count) = (gpu.alloc_zeroed::<f32>(4)?, gpu.alloc_zeroed::<u64>(1)?);
/// select(&gpu, &x, &flags, &mut y, &mut count).run()?;
/// assert_eq!(gpu.download(&count)?, [2]);
/// assert_eq!(gpu.download(&y)?, [1.5, 4.5, 0.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if there is not one flag for each element, or `count` does not have one element.
pub fn select<'a, T: GpuType + 'static, F: Truth>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    flags: impl SliceArg<'a, F>,
    y: impl SliceMutArg<'a, T>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Select<'a, Flagged<T, F>>> {
    Select::call(device, Input::new(x), Some(Input::new(flags)), 0, (Output::new(y), Output::new(count)))
}

/// Writes the elements of `x` that meet `predicate` to the front of `y`, as [`select`] does.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `count` does not have one element.
pub fn select_if<'a, P: Predicate>(
    device: &Device,
    x: impl SliceArg<'a, P::Element>,
    predicate: P,
    y: impl SliceMutArg<'a, P::Element>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Select<'a, Matching<P>>> {
    Select::call(device, Input::new(x), None, predicate, (Output::new(y), Output::new(count)))
}

/// Writes the elements of `x` with a true flag to the front of `y`, in their order, and the others to its back, in reverse order: the
/// last element of `y` is the first without a true flag. `count[0]` becomes the number of true flags.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `y` or `flags` is not as long as `x`, or `count` does not have one element.
pub fn partition<'a, T: GpuType + 'static, F: Truth>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    flags: impl SliceArg<'a, F>,
    y: impl SliceMutArg<'a, T>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Select<'a, Flagged<T, F>>> {
    select(device, x, flags, y, count).map(Select::with_others)
}

/// Writes the elements of `x` that meet `predicate` to the front of `y`, and the others to its back, as [`partition`] does.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `y` is not as long as `x`, or `count` does not have one element.
pub fn partition_if<'a, P: Predicate>(
    device: &Device,
    x: impl SliceArg<'a, P::Element>,
    predicate: P,
    y: impl SliceMutArg<'a, P::Element>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Select<'a, Matching<P>>> {
    select_if(device, x, predicate, y, count).map(Select::with_others)
}

/// Writes the first element of each run of equal elements of `x` to the front of `y`, as [`select`] does.
///
/// NaN equals nothing, so each NaN is a run of its own. `0.0` equals `-0.0`.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `count` does not have one element.
pub fn unique<'a, T: Comparable>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    y: impl SliceMutArg<'a, T>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Select<'a, Distinct<T>>> {
    Select::call(device, Input::new(x), None, 0, (Output::new(y), Output::new(count)))
}

/// The most bytes that a thread has of elements of up to 16 bytes.
const BYTES: usize = 128;

/// Whether numbers of elements need more than 32 bits.
fn is_long<T>(x: &Input<'_, T>) -> bool {
    u32::try_from(x.len()).is_err()
}

/// A selection with its arguments.
pub struct Select<'a, S: Selector> {
    x: Input<'a, S::Element>,
    flags: Option<Input<'a, S::Flag>>,
    setting: S::Setting,
    y: Output<'a, S::Element>,
    count: Output<'a, u64>,
    keeps_others: bool,
}

impl<'a, S: Selector> Select<'a, S> {
    fn call(
        device: &Device,
        x: Input<'a, S::Element>,
        flags: Option<Input<'a, S::Flag>>,
        setting: S::Setting,
        (y, count): (Output<'a, S::Element>, Output<'a, u64>),
    ) -> Call<'a, Self> {
        Call::new(device, Self { x, flags, setting, y, count, keeps_others: false })
    }

    fn with_others(self) -> Self {
        Self { keeps_others: true, ..self }
    }
}

impl<'a, S: Selector> Family<'a> for Select<'a, S> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let Self { x, flags, y, count, keeps_others, .. } = self;
        check(x, count)?;
        y.apart_from("y", x, "x")?;
        y.apart_from("y", &count.read(), "count")?;
        if let Some(flags) = flags {
            length("flags", flags.len(), x.len(), "one for each element of `x`")?;
            y.apart_from("y", flags, "flags")?;
            count.apart_from("count", flags, "flags")?;
        }
        if *keeps_others {
            length("y", y.len(), x.len(), "as many as `x`")?;
        }
        let types = short_name::<S>();
        if x.is_empty() {
            return Ok(empty(types));
        }
        let why = if *keeps_others { ", which are written from both ends" } else { "" };
        let staged = size_of::<S::Element>();
        let tiling = Tiling::of(x, BYTES);
        Ok(if is_long(x) {
            tiling.plan::<u64>("select_kernel", types, staged, why)
        } else {
            tiling.plan::<u32>("select_kernel", types, staged, why)
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if self.x.is_empty() {
            return Ok(vec![nothing(self.count, target)?]);
        }
        Ok(vec![
            step_by_shape!(self, S::Element, BYTES, plan, target: 16 by 2, 8 by 4, 4 by 8, 2 by 8, 1 by 8),
        ])
    }
}

impl<'a, S: Selector> Select<'a, S> {
    /// The launch for `ROUNDS` packs of `N` elements a thread.
    fn launch<const N: usize, const ROUNDS: usize>(
        self,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let Self { x, flags, setting, mut y, mut count, keeps_others } = self;
        let Packs { head, packs: xs } = x.packs::<N>();
        let flags = flags.unwrap_or_else(|| x.values::<S::Flag>().nothing());
        // Packs that share a word must begin with it.
        let flag_words = if N >= 4 || head == 0 { flags.words_of_bytes(head) } else { None };
        let are_bytes = flag_words.is_some();
        let flag_words = flag_words.unwrap_or_else(|| x.values().nothing());
        let is_long = is_long(&x);
        let mut exchange = if is_long {
            Exchange::new::<u64>(plan.grid, target)?
        } else {
            Exchange::new::<u32>(plan.grid, target)?
        };
        Ok(tiles_step!(
            target,
            plan,
            exchange,
            select_kernel::<S, N, ROUNDS>(
                &x,
                &xs,
                &flags,
                &flag_words,
                setting,
                &mut y,
                &mut count,
                Tiles { head, launch: exchange.launch },
                &mut exchange.words,
                &mut exchange.next_tile,
                are_bytes,
                is_long,
                keeps_others,
            )
        ))
    }
}
