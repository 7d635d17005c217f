//! The functions of the family.

use std::marker::PhantomData;

use warpsmith::Device;
use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;

use super::Word;
use super::exchange::Exchange;
use super::kernel::{Tiles, scan_kernel};
use super::place::tiles;
use super::tiles::{LANES, THREADS, WARPS, tiles_step};
use crate::argument::{Input, Output, length};
use crate::call::{Call, Family, Plan, Step, Target, grid_of, short_name};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;
use crate::reduction::Reduction;

/// `y[i]` is the output of `R` for `x[0]` to `x[i]`.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::{reduction::Sum, scan::inclusive_scan};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
/// let mut y = gpu.alloc_zeroed::<f32>(3)?;
/// inclusive_scan::<Sum<f32>>(&gpu, &x, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [1.0, 3.0, 6.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods unless `y` is as long as `x`.
pub fn inclusive_scan<'a, R: Reduction<Partial: Word>>(
    device: &Device,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Scan<'a, R>> {
    Call::new(device, Scan::new(Input::new(x), Output::new(y), false))
}

/// `y[i]` is the output of `R` for `x[0]` to `x[i - 1]`, and `y[0]` the output for no elements.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods unless `y` is as long as `x`.
pub fn exclusive_scan<'a, R: Reduction<Partial: Word>>(
    device: &Device,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Scan<'a, R>> {
    Call::new(device, Scan::new(Input::new(x), Output::new(y), true))
}

/// Replaces each element by the output of `R` for all up to it.
pub fn inclusive_scan_in_place<'a, R: Reduction<Partial: Word, Output = <R as Reduction>::Element>>(
    device: &Device,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Scan<'a, R>> {
    let y = Output::new(y);
    Call::new(device, Scan { in_place: true, ..Scan::new(y.read(), y, false) })
}

/// Replaces each element by the output of `R` for all before it.
pub fn exclusive_scan_in_place<'a, R: Reduction<Partial: Word, Output = <R as Reduction>::Element>>(
    device: &Device,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Scan<'a, R>> {
    let y = Output::new(y);
    Call::new(device, Scan { in_place: true, ..Scan::new(y.read(), y, true) })
}

/// A scan with its arguments.
pub struct Scan<'a, R: Reduction> {
    x: Input<'a, R::Element>,
    y: Output<'a, R::Output>,
    is_exclusive: bool,
    in_place: bool,
    _reduction: PhantomData<R>,
}

impl<'a, R: Reduction> Scan<'a, R> {
    fn new(x: Input<'a, R::Element>, y: Output<'a, R::Output>, is_exclusive: bool) -> Self {
        Self { x, y, is_exclusive, in_place: false, _reduction: PhantomData }
    }

    /// Elements of a pack of the input.
    const PER_PACK: usize = match size_of::<R::Element>() {
        1 => 16,
        2 => 8,
        8 => 2,
        _ => 4,
    };

    /// Elements of a tile.
    const TILE: usize = LANES * Self::PER_PACK * rounds(Self::PER_PACK);

    /// The number of elements before the first pack, if the packs of input and output begin at the same element.
    fn head(&self) -> Option<usize> {
        let fits = Self::PER_PACK * size_of::<R::Element>() == PACK_BYTES
            && size_of::<R::Output>() == size_of::<R::Element>();
        let (x, y) = (self.x.misalignment()?, self.y.misalignment()?);
        (fits && x == y && x <= self.x.len()).then_some(x)
    }
}

impl<'a, R: Reduction<Partial: Word>> Family<'a> for Scan<'a, R> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        length("y", self.y.len(), self.x.len(), "as many as `x`")?;
        if !self.in_place {
            self.y.apart_from("y", &self.x, "x")?;
        }
        let types = short_name::<R>();
        if self.x.is_empty() {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let why = match self.head() {
            Some(_) => "one pass over the elements, in packs of 16 bytes",
            None => {
                "one pass over the elements, one by one, as packs of `x` and `y` do not begin at the same element"
            }
        };
        let tiles = tiles(self.x.len(), self.head().unwrap_or(0), Self::PER_PACK, rounds(Self::PER_PACK));
        let grid = grid_of(tiles);
        Ok(Plan {
            kernel: "scan_kernel",
            types,
            tile: Self::TILE,
            grid,
            block: THREADS,
            shared: (WARPS + 1) * size_of::<R::Partial>() + size_of::<u32>(),
            workspace: Exchange::bytes::<R::Partial>(grid),
            why: why.to_owned(),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let step = if const { Self::PER_PACK == 16 } {
            launch::<R, 16, { rounds(16) }>(self, plan, target)?
        } else if const { Self::PER_PACK == 8 } {
            launch::<R, 8, { rounds(8) }>(self, plan, target)?
        } else if const { Self::PER_PACK == 4 } {
            launch::<R, 4, { rounds(4) }>(self, plan, target)?
        } else {
            launch::<R, 2, { rounds(2) }>(self, plan, target)?
        };
        Ok(vec![step])
    }
}

/// Packs of a thread, for packs of `per_pack` elements: 32 elements, or as many of eight bytes as leave registers for four blocks.
const fn rounds(per_pack: usize) -> usize {
    if per_pack == 2 { 7 } else { 32 / per_pack }
}

/// The launch for `ROUNDS` packs of `N` elements a thread.
fn launch<'a, R: Reduction<Partial: Word>, const N: usize, const ROUNDS: usize>(
    call: Scan<'a, R>,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let head = call.head();
    let is_packed = head.is_some();
    let Scan { x, mut y, is_exclusive, .. } = call;
    let xs = x.packs::<N>().packs;
    let mut ys = y.packs::<N>().1;
    let mut exchange = Exchange::new::<R::Partial>(plan.grid, target)?;
    let head_len = head.unwrap_or(0);
    Ok(tiles_step!(
        target,
        plan,
        exchange,
        scan_kernel::<R, N, ROUNDS>(
            &x,
            &xs,
            &mut y,
            &mut ys,
            Tiles { head: head_len, launch: exchange.launch },
            &mut exchange.words,
            &mut exchange.next_tile,
            is_packed,
            is_exclusive,
        )
    ))
}
