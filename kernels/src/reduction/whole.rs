//! `reduce`: all elements of a slice, by as many blocks as keep the memory busy.

use std::marker::PhantomData;

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::{Buffer, Device};

use super::Reduction;
use super::block::{THREADS, WARPS};
use super::rows::{Rows, reduce_rows};
use crate::argument::{Input, Output, Packs};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;

/// Blocks of a large reduction for each multiprocessor: more than run at once, and the early ones make up for the late.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;
/// Bytes that keep a block busy.
const BYTES_PER_BLOCK: usize = 64 << 10;

/// Reduces all elements of `x` to the one element of `y`, whatever `x`'s length and alignment.
///
/// `R::output` of no elements is the result for an empty `x`: `0` for [`Sum`](super::Sum).
///
/// # Errors
/// [`KernelError::Shape`] from the call's methods unless `y` has one element.
pub fn reduce<'a, R: Reduction>(
    device: &Device,
    x: impl SliceArg<'a, R::Element>,
    y: impl SliceMutArg<'a, R::Output>,
) -> Call<'a, Reduce<'a, R>> {
    let (x, y) = (Input::new(x), Output::new(y));
    Call::new(device, Reduce { x, y, blocks: None, _reduction: PhantomData })
}

/// A reduction of all elements.
pub struct Reduce<'a, R: Reduction> {
    x: Input<'a, R::Element>,
    y: Output<'a, R::Output>,
    blocks: Option<u32>,
    _reduction: PhantomData<R>,
}

impl<'a, R: Reduction> Call<'a, Reduce<'a, R>> {
    /// Blocks that share the elements, at least one. Default: as many as keep the device's memory busy.
    ///
    /// The order in which floats are added depends on this number, and so may the last bits of the result.
    pub fn blocks(self, blocks: u32) -> Self {
        self.map(|reduce| Reduce { blocks: Some(blocks.max(1)), ..reduce })
    }
}

impl<'a, R: Reduction> Family<'a> for Reduce<'a, R> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        if self.y.len() != 1 {
            return Err(KernelError::Shape {
                what: "y",
                expected: "1 element, the result".to_owned(),
                got: format!("{} elements", self.y.len()),
                way_out: "pass a buffer of one element, or a part: `y.slice_mut(..1)?`",
            });
        }
        self.y.apart_from("y", &self.x, "x")?;
        let bytes = self.x.len().saturating_mul(size_of::<R::Element>());
        let most = limits.multiprocessors as usize * BLOCKS_PER_MULTIPROCESSOR;
        let enough = bytes.div_ceil(BYTES_PER_BLOCK).clamp(1, most) as u32;
        let grid = self.blocks.unwrap_or(enough);
        let workspace = if grid > 1 { grid as usize * size_of::<R::Partial>() + size_of::<u32>() } else { 0 };
        let aligned =
            self.x.misalignment().is_some() && PACK_BYTES.is_multiple_of(size_of::<R::Element>().max(1));
        let how = if aligned {
            "loads of 16 bytes"
        } else {
            "loads of one element, as none begins at a multiple of 16 bytes"
        };
        let blocks = match grid {
            1 => "one block suffices".to_owned(),
            _ => format!(
                "{} blocks a multiprocessor keep the memory busy",
                grid.div_ceil(limits.multiprocessors.max(1))
            ),
        };
        Ok(Plan {
            kernel: "reduce_rows",
            types: short_name::<R>(),
            tile: self.x.len().div_ceil(grid as usize),
            grid,
            block: THREADS,
            shared: WARPS as usize * size_of::<R::Partial>() + size_of::<u32>(),
            workspace,
            why: format!("{how}, {blocks}"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        Ok(vec![match size_of::<R::Element>() {
            1 => by_packs::<R, 16>(self, plan, target)?,
            2 => by_packs::<R, 8>(self, plan, target)?,
            4 => by_packs::<R, 4>(self, plan, target)?,
            8 => by_packs::<R, 2>(self, plan, target)?,
            _ => by_packs::<R, 1>(self, plan, target)?,
        }])
    }
}

/// The launch for packs of `N` elements.
fn by_packs<'a, R: Reduction, const N: usize>(
    call: Reduce<'a, R>,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Reduce { x, mut y, .. } = call;
    let Packs { head, packs } = x.packs::<N>();
    let rows = Rows { rows: 1, cols: x.len(), stride: x.len(), head };
    let (splits, block) = (plan.grid, plan.block);
    let split = if splits > 1 { splits as usize } else { 0 };
    let mut partials: Buffer<R::Partial> = target.device.alloc_zeroed(split)?;
    let mut arrived: Buffer<u32> = target.device.alloc_zeroed(split.min(1))?;
    Ok(step!(
        target,
        (splits, block),
        reduce_rows::<R, N>(&x, &packs, rows, splits, &mut partials, &mut arrived, &mut y)
    ))
}
