//! The product of two vectors.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Sum;
use super::block::{THREADS, WARPS, is_last_of_row, joined_by_block, joined_by_splits};
use super::plan::{Choice, Elements, Shape};
use crate::argument::{Input, Output, Packs};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::number::{Number, Total};
use crate::pack::Pack;

/// [`THREADS`] as a number of elements.
const BLOCK: usize = THREADS as usize;

/// The sum of `x[i] * z[i]`, in the [`Total`] of the elements; `0` of none.
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods unless `x` and `z` are equally long and `y` has one element.
pub fn dot<'a, T: Number>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    z: impl SliceArg<'a, T>,
    y: impl SliceMutArg<'a, T::Total>,
) -> Call<'a, Dot<'a, T>> {
    Call::new(device, Dot { x: Input::new(x), z: Input::new(z), y: Output::new(y) })
}

/// A product of vectors with its arguments.
pub struct Dot<'a, T: Number> {
    x: Input<'a, T>,
    z: Input<'a, T>,
    y: Output<'a, T::Total>,
}

impl<T: Number> Dot<'_, T> {
    /// Blocks that share the vectors.
    fn splits(&self, limits: &Limits) -> u32 {
        let elements = Elements { size: 2 * size_of::<T>(), misalignment: self.x.misalignment() };
        match Shape::whole(self.x.len()).choose(elements, limits, None) {
            Choice::Blocks { splits, .. } => splits,
            _ => 1,
        }
    }

    /// Whether the packs of both vectors begin at the same element.
    fn in_packs(&self) -> bool {
        self.x.misalignment().is_some() && self.x.misalignment() == self.z.misalignment()
    }
}

impl<'a, T: Number> Family<'a> for Dot<'a, T> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let shape = |what, expected: String, got: usize, way_out| {
            Err(KernelError::Shape { what, expected, got: format!("{got} elements"), way_out })
        };
        if self.z.len() != self.x.len() {
            let expected = format!("{}, as many as `x`", self.x.len());
            return shape("z", expected, self.z.len(), "pass parts of equal length");
        }
        if self.y.len() != 1 {
            let way_out = "pass a buffer of one element, or a part: `y.slice_mut(..1)?`";
            return shape("y", "1, the result".to_owned(), self.y.len(), way_out);
        }
        self.y.apart_from("y", &self.x, "x")?;
        self.y.apart_from("y", &self.z, "z")?;
        let splits = self.splits(limits);
        let partial = size_of::<T::Total>();
        let loads = if self.in_packs() {
            "loads of 16 bytes"
        } else {
            "loads of one element, as `x` and `z` are not aligned alike"
        };
        Ok(Plan {
            kernel: "dot_kernel",
            types: short_name::<T>(),
            tile: self.x.len().div_ceil(splits as usize),
            grid: splits,
            block: THREADS,
            shared: WARPS as usize * partial,
            workspace: if splits > 1 { splits as usize * partial + size_of::<u32>() } else { 0 },
            why: format!("{loads}, {splits} blocks share the elements"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let step = if const { size_of::<T>() == 1 } {
            launch::<T, 16>(self, plan, target)?
        } else if const { size_of::<T>() == 2 } {
            launch::<T, 8>(self, plan, target)?
        } else if const { size_of::<T>() == 4 } {
            launch::<T, 4>(self, plan, target)?
        } else {
            launch::<T, 2>(self, plan, target)?
        };
        Ok(vec![step])
    }
}

/// The launch for packs of `N` elements.
fn launch<'a, T: Number, const N: usize>(
    call: Dot<'a, T>,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let in_packs = call.in_packs();
    let Dot { x, z, mut y } = call;
    let Packs { head, packs: xs } = x.packs::<N>();
    let zs = z.packs::<N>().packs;
    // Without packs all elements are loaded one by one.
    let head = if in_packs { head } else { x.len() };
    let splits = plan.grid;
    let split = if splits > 1 { splits as usize } else { 0 };
    let mut partials: Buffer<T::Total> = target.device.alloc_zeroed(split)?;
    let mut arrived: Buffer<u32> = target.device.alloc_zeroed(split.min(1))?;
    Ok(step!(
        target,
        (splits, plan.block),
        dot_kernel::<T, N>(&x, &z, &xs, &zs, head, &mut partials, &mut arrived, &mut y)
    ))
}

/// Writes the sum of all `x[i] * z[i]` to `y[0]`. All blocks of the grid share the elements.
///
/// `xs` and `zs` are the elements from number `head` on, in whole packs. Several blocks exchange partial results in `partials`; the
/// counter `arrived` is zero before and after.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn dot_kernel<T: Number, const N: usize>(
    x: &[T],
    z: &[T],
    xs: &[Pack<T, N>],
    zs: &[Pack<T, N>],
    head: usize,
    partials: &mut [T::Total],
    arrived: &mut [u32],
    y: &mut [T::Total],
) {
    let (t, splits) = (thread_idx().x as usize, grid_dim().x);
    let part = xs.len().min(zs.len()).div_ceil(splits as usize);
    let mut total = T::Total::ZERO;
    let mut tail = head;
    if head < x.len() {
        let packs = xs.len().min(zs.len());
        tail = head + packs * N;
        let from = (block_idx().x as usize * part).min(packs);
        let to = (from + part).min(packs);
        total = of_packs::<T, N>(&xs[from..to], &zs[from..to], t);
    }
    // The elements before and behind the packs: a few, or all of them.
    total = one_by_one(total, &x[..head], &z[..head]);
    total = one_by_one(total, &x[tail..], &z[tail..]);
    total = joined_by_block::<Sum<T>>(total);
    if splits > 1 {
        if !is_last_of_row::<Sum<T>>(total, 0, splits, partials, arrived) {
            return;
        }
        total = joined_by_splits::<Sum<T>>(0, splits, partials);
    }
    if t == 0 {
        y[0] = total;
    }
}

/// Adds the grid's share of products one by one.
#[gpu_fn]
fn one_by_one<T: Number>(total: T::Total, x: &[T], z: &[T]) -> T::Total {
    let mut sum = total;
    let mut i = global_id();
    while i < x.len() && i < z.len() {
        sum = sum.plus(x[i].total().times(z[i].total()));
        i += global_size();
    }
    sum
}

/// Adds the block's share of products in packs, with two loads of each vector in flight.
#[gpu_fn]
fn of_packs<T: Number, const N: usize>(xs: &[Pack<T, N>], zs: &[Pack<T, N>], thread: usize) -> T::Total {
    let mut total = T::Total::ZERO;
    let mut p = thread;
    while p + BLOCK < xs.len() && p + BLOCK < zs.len() {
        let (a, c) = (xs[p], zs[p]);
        let (b, d) = (xs[p + BLOCK], zs[p + BLOCK]);
        total = with_packs::<T, N>(total, a, c);
        total = with_packs::<T, N>(total, b, d);
        p += 2 * BLOCK;
    }
    while p < xs.len() && p < zs.len() {
        total = with_packs::<T, N>(total, xs[p], zs[p]);
        p += BLOCK;
    }
    total
}

/// Adds the products of two packs.
#[gpu_fn]
fn with_packs<T: Number, const N: usize>(total: T::Total, x: Pack<T, N>, z: Pack<T, N>) -> T::Total {
    let mut sum = total;
    #[unroll]
    for k in 0..N {
        sum = sum.plus(x.0[k].total().times(z.0[k].total()));
    }
    sum
}
