//! The fills of slices.

use std::marker::PhantomData;

use warpsmith::Device;
use warpsmith::args::SliceMutArg;
use warpsmith::driver::Limits;

use super::kernel::{THREADS, fill_kernel};
use super::{Bits, Normal, Numbers, Uniform};
use crate::argument::Output;
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// Numbers that are made of one counter.
const PER_THREAD: u64 = 4;

/// Fills `y` with the first random words of `seed`.
pub fn fill_bits<'a>(device: &Device, y: impl SliceMutArg<'a, u32>, seed: u64) -> Call<'a, Fill<'a, Bits>> {
    Call::new(device, Fill { y: Output::new(y), seed, first: 0, _numbers: PhantomData })
}

/// Fills `y` with the first numbers in `[0, 1)` of `seed`, multiples of 2^-24.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::random::{fill_uniform, uniform, words};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let mut y = gpu.alloc_zeroed::<f32>(1000)?;
/// fill_uniform(&gpu, &mut y, 7).run()?;
/// assert_eq!(gpu.download(&y)?[42], uniform(words(7, 42 / 4)[42 % 4]));
/// # Ok(()) }
/// ```
pub fn fill_uniform<'a>(
    device: &Device,
    y: impl SliceMutArg<'a, f32>,
    seed: u64,
) -> Call<'a, Fill<'a, Uniform>> {
    Call::new(device, Fill { y: Output::new(y), seed, first: 0, _numbers: PhantomData })
}

/// Fills `y` with the first numbers of `seed` that are normally distributed around 0 with variance 1.
pub fn fill_normal<'a>(
    device: &Device,
    y: impl SliceMutArg<'a, f32>,
    seed: u64,
) -> Call<'a, Fill<'a, Normal>> {
    Call::new(device, Fill { y: Output::new(y), seed, first: 0, _numbers: PhantomData })
}

/// A fill with its argument.
pub struct Fill<'a, N: Numbers> {
    y: Output<'a, N::Number>,
    seed: u64,
    first: u64,
    _numbers: PhantomData<N>,
}

impl<'a, N: Numbers> Call<'a, Fill<'a, N>> {
    /// Begins with number `first` of the seed. Default: 0. The numbers of several fills continue each other.
    pub fn first(self, first: u64) -> Self {
        self.map(|fill| Fill { first, ..fill })
    }
}

impl<N: Numbers> Fill<'_, N> {
    /// Whether the numbers of each counter fill a pack.
    fn in_packs(&self) -> bool {
        self.first.is_multiple_of(PER_THREAD) && self.y.misalignment() == Some(0)
    }
}

impl<'a, N: Numbers> Family<'a> for Fill<'a, N> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let types = short_name::<N>();
        if self.y.is_empty() {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let threads = (self.y.len() as u64 + self.first % PER_THREAD).div_ceil(PER_THREAD);
        let stores = if self.in_packs() { "stores of 16 bytes" } else { "stores of one element" };
        Ok(Plan {
            kernel: "fill_kernel",
            types,
            tile: THREADS as usize * PER_THREAD as usize,
            grid: u32::try_from(threads.div_ceil(u64::from(THREADS))).unwrap_or(u32::MAX),
            block: THREADS,
            shared: 0,
            workspace: 0,
            why: format!("four numbers a thread, {stores}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let in_packs = self.in_packs();
        let Self { mut y, seed, first, .. } = self;
        let mut packs = y.packs::<4>().1;
        if !in_packs {
            packs = packs.nothing();
        }
        let at = (plan.grid, plan.block);
        Ok(vec![step!(target, at, fill_kernel::<N>(&mut y, &mut packs, seed, first))])
    }
}
