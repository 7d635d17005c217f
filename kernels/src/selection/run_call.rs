//! `run_length_encode`.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::runs::{OpenRun, encode_kernel};
use super::tiles::{Tiling, check, empty, nothing, step_by_shape};
use crate::argument::{Input, Output, Packs};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::comparable::Comparable;
use crate::error::KernelError;
use crate::scan::tiles::tiles_step;
use crate::scan::{Exchange, Tiles};

/// Writes the first element of each run of equal elements of `x` to `values`, the length of the run to `lengths`, and the number of
/// runs to `count[0]`.
///
/// `values` and `lengths` may be shorter than the number of runs: runs that do not fit are counted, but not written. The rest of both
/// does not change. Lengths are `u32` and wrap around. NaN equals nothing, so each NaN is a run of its own. `0.0` equals `-0.0`.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::selection::run_length_encode;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(b"aaabccccdd")?;
/// let (mut values, mut lengths) = (gpu.alloc_zeroed::<u8>(10)?, gpu.alloc_zeroed::<u32>(10)?);
/// let mut count = gpu.alloc_zeroed::<u64>(1)?;
/// run_length_encode(&gpu, &x, &mut values, &mut lengths, &mut count).run()?;
/// assert_eq!(gpu.download(&count)?, [4]);
/// assert_eq!(gpu.download(&values)?[..4], *b"abcd");
/// assert_eq!(gpu.download(&lengths)?[..4], [3, 1, 4, 2]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods if `count` does not have one element.
pub fn run_length_encode<'a, T: Comparable>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    values: impl SliceMutArg<'a, T>,
    lengths: impl SliceMutArg<'a, u32>,
    count: impl SliceMutArg<'a, u64>,
) -> Call<'a, Runs<'a, T>> {
    let (x, values) = (Input::new(x), Output::new(values));
    Call::new(device, Runs { x, values, lengths: Output::new(lengths), count: Output::new(count) })
}

/// The most bytes that a thread has of elements of up to 16 bytes: their positions are in shared memory, too.
const BYTES: usize = 64;

/// A run-length encoding with its arguments.
pub struct Runs<'a, T> {
    x: Input<'a, T>,
    values: Output<'a, T>,
    lengths: Output<'a, u32>,
    count: Output<'a, u64>,
}

impl<'a, T: Comparable> Family<'a> for Runs<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let Self { x, values, lengths, count } = self;
        check(x, count)?;
        values.apart_from("values", x, "x")?;
        lengths.apart_from("lengths", x, "x")?;
        values.apart_from("values", &lengths.read(), "lengths")?;
        count.apart_from("count", &values.read(), "values")?;
        count.apart_from("count", &lengths.read(), "lengths")?;
        if x.is_empty() {
            return Ok(empty(short_name::<T>()));
        }
        let why = "; each tile hands on the run that it leaves open";
        let staged = size_of::<T>() + size_of::<u16>();
        Ok(Tiling::of(x, BYTES).plan::<OpenRun>("encode_kernel", short_name::<T>(), staged, why))
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if self.x.is_empty() {
            return Ok(vec![nothing(self.count, target)?]);
        }
        Ok(vec![step_by_shape!(self, T, BYTES, plan, target: 16 by 2, 8 by 4, 4 by 4, 2 by 4, 1 by 4)])
    }
}

impl<'a, T: Comparable> Runs<'a, T> {
    /// The launch for `ROUNDS` packs of `N` elements a thread.
    fn launch<const N: usize, const ROUNDS: usize>(
        self,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let Self { x, mut values, mut lengths, mut count } = self;
        let Packs { head, packs: xs } = x.packs::<N>();
        let mut exchange = Exchange::new::<OpenRun>(plan.grid, target)?;
        Ok(tiles_step!(
            target,
            plan,
            exchange,
            encode_kernel::<T, N, ROUNDS>(
                &x,
                &xs,
                &mut values,
                &mut lengths,
                &mut count,
                Tiles { head, launch: exchange.launch },
                &mut exchange.words,
                &mut exchange.next_tile,
            )
        ))
    }
}
