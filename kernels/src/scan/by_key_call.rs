//! `inclusive_scan_by_key` and `exclusive_scan_by_key`.

use std::marker::PhantomData;

use warpsmith::Device;
use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;

use super::Word;
use super::by_key::{Segment, scan_by_key_kernel};
use super::exchange::Exchange;
use super::tiles::{LANES, THREADS, WARPS, tiles_step};
use crate::argument::{Input, Output, length};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name};
use crate::comparable::Comparable;
use crate::error::KernelError;
use crate::reduction::Reduction;

/// `y[i]` is the output of `R` for the elements of `x` from the first of its segment to `x[i]`.
///
/// A segment is a run of equal `keys`; a NaN equals nothing. The index that [`Reduction::of`] gets counts from the beginning of `x`, the
/// count that [`Reduction::output`] gets from the beginning of the segment.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::{reduction::Sum, scan::inclusive_scan_by_key};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let keys = gpu.upload(&[7u32, 7, 7, 4, 4])?;
/// let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
/// let mut y = gpu.alloc_zeroed::<f32>(5)?;
/// inclusive_scan_by_key::<Sum<f32>, u32>(&gpu, &keys, &x, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [1.0, 3.0, 6.0, 4.0, 9.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `keys` or `y` is not as long as `x`.
pub fn inclusive_scan_by_key<'a, R: Reduction<Partial: Word>, K: Comparable>(
    device: &Device,
    keys: impl SliceArg<'a, K>,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, ScanByKey<'a, R, K>> {
    let (keys, x, y) = (Input::new(keys), Input::new(x), Output::new(y));
    Call::new(device, ScanByKey { keys, x, y, is_exclusive: false, _reduction: PhantomData })
}

/// `y[i]` is the output of `R` for the elements of `x` from the first of its segment to the one before `x[i]`. For the first it is the
/// output for no elements.
///
/// # Errors
/// Those of [`inclusive_scan_by_key`].
pub fn exclusive_scan_by_key<'a, R: Reduction<Partial: Word>, K: Comparable>(
    device: &Device,
    keys: impl SliceArg<'a, K>,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, ScanByKey<'a, R, K>> {
    inclusive_scan_by_key::<R, K>(device, keys, x, y).map(|scan| ScanByKey { is_exclusive: true, ..scan })
}

/// A scan by key with its arguments.
pub struct ScanByKey<'a, R: Reduction, K> {
    keys: Input<'a, K>,
    x: Input<'a, R::Element>,
    y: Output<'a, R::Output>,
    is_exclusive: bool,
    _reduction: PhantomData<R>,
}

impl<'a, R: Reduction<Partial: Word>, K: Comparable> Family<'a> for ScanByKey<'a, R, K> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let Self { keys, x, y, .. } = self;
        length("keys", keys.len(), x.len(), "one for each element of `x`")?;
        length("y", y.len(), x.len(), "as many as `x`")?;
        y.apart_from("y", x, "x")?;
        y.apart_from("y", keys, "keys")?;
        let types = format!("{}, {}", short_name::<R>(), short_name::<K>());
        if x.is_empty() {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let why = "one pass over the elements; each tile hands on the segment that it leaves open";
        Ok(plan::<R::Element, Segment<R::Partial>>("scan_by_key_kernel", types, x.len(), why))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if self.x.is_empty() {
            return Ok(Vec::new());
        }
        // The conditions are constants: rustc compiles the kernels of one branch only.
        let step = if const { rounds(size_of::<R::Element>()) == 16 } {
            self.launch::<16>(plan, target)?
        } else if const { rounds(size_of::<R::Element>()) == 8 } {
            self.launch::<8>(plan, target)?
        } else if const { rounds(size_of::<R::Element>()) == 4 } {
            self.launch::<4>(plan, target)?
        } else {
            self.launch::<1>(plan, target)?
        };
        Ok(vec![step])
    }
}

impl<'a, R: Reduction<Partial: Word>, K: Comparable> ScanByKey<'a, R, K> {
    /// The launch for `ROUNDS` elements a thread.
    fn launch<const ROUNDS: usize>(self, plan: &Plan, target: &Target) -> Result<Step<'a>, KernelError> {
        let Self { keys, x, mut y, is_exclusive, .. } = self;
        let mut exchange = Exchange::new::<Segment<R::Partial>>(plan.grid, target)?;
        Ok(tiles_step!(
            target,
            plan,
            exchange,
            scan_by_key_kernel::<K, R, ROUNDS>(
                &keys,
                &x,
                &mut y,
                exchange.launch,
                &mut exchange.words,
                &mut exchange.next_tile,
                is_exclusive,
            )
        ))
    }
}

/// Elements of a thread, for elements of `size` bytes: up to 64 bytes, and 16 elements.
const fn rounds(size: usize) -> usize {
    match size {
        0..=4 => 16,
        5..=8 => 8,
        9..=16 => 4,
        _ => 1,
    }
}

/// The plan of a kernel for `len` elements of type `T`, whose tiles have sums of type `W`.
fn plan<T, W: Word>(kernel: &'static str, types: String, len: usize, why: &str) -> Plan {
    let tile = LANES * rounds(size_of::<T>());
    let grid = grid_of(len.div_ceil(tile));
    Plan {
        kernel,
        types,
        tile,
        grid,
        block: THREADS,
        shared: (WARPS + 1) * size_of::<W>() + size_of::<u32>(),
        workspace: Exchange::bytes::<W>(grid),
        why: why.to_owned(),
    }
}
