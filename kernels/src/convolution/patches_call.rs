//! Convolutions as products of patches, which are copied first: the plan and the launches.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::call::Conv2d;
use super::geometry::{Geometry, Moves};
use super::launch::ConvolvedElement;
use super::patches::{Patches, THREADS, conv2d_patches};
use crate::argument::{Input, Matrix, matrix};
use crate::call::{Family, Plan, Step, Target, step};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;
use crate::products::Epilogue;

/// Blocks of a multiprocessor.
const RESIDENT: usize = 4;

/// Elements of a pack.
const fn of_pack<T>() -> usize {
    PACK_BYTES / size_of::<T>()
}

/// Packs from one patch to the next.
fn packs<T>(of: &Geometry) -> usize {
    of.depth().div_ceil(of_pack::<T>())
}

/// Whether the filters have rows of their own, at multiples of 16 bytes, as patches of one tap.
fn moves_filters<T>(of: &Geometry) -> bool {
    !of.depth().is_multiple_of(of_pack::<T>())
}

/// The plan of a convolution that warpgroups do not compute, for this reason.
pub(super) fn plan<T>(of: &Geometry, types: String, why: &str, limits: &Limits) -> Plan {
    let filters = if moves_filters::<T>(of) { of.w[0] } else { 0 };
    let rows = of.pixels().saturating_add(filters);
    let blocks = of.pixels().saturating_mul(packs::<T>(of)).div_ceil(THREADS as usize);
    Plan {
        kernel: "conv2d_patches",
        types,
        tile: of.depth(),
        grid: blocks.min(limits.multiprocessors.max(1) as usize * RESIDENT * 8) as u32,
        block: THREADS,
        shared: 0,
        workspace: rows.saturating_mul(packs::<T>(of)).saturating_mul(PACK_BYTES),
        why: format!("the pixels of each result are copied side by side, and multiplied, as {why}"),
    }
}

/// The launches of that plan: patches of the images, those of the filters where they have rows of their own, and the product.
pub(super) fn steps<'a, T: ConvolvedElement, E: Epilogue>(
    call: Conv2d<'a, T, E>,
    plan: &Plan,
    target: &Target,
) -> Result<Vec<Step<'a>>, KernelError> {
    let of = call.geometry();
    let Conv2d { x, w, y, bias, epilogue, .. } = call;
    let (x, w) = (x.into_memory(), w.into_memory());
    let mut steps = Vec::new();
    let mut copied = |memory, patches: Patches<usize>| -> Result<Matrix<'a, T>, KernelError> {
        let (step, input) = copied_patches::<T>(memory, patches, plan, target)?;
        steps.push(step);
        matrix(input, patches.count, of.depth())?.stride(patches.packs * of_pack::<T>())
    };
    let a = copied(x, patches_of_images::<T>(&of))?;
    let filters = if moves_filters::<T>(&of) {
        copied(w, patches_of_filters::<T>(&of))?
    } else {
        matrix(w, of.w[0], of.depth())?
    };
    let product = Conv2d::product(a, filters, y.into_memory(), bias, epilogue)?;
    let plan = product.plan(target.device.limits())?;
    steps.extend(product.steps(&plan, target)?);
    Ok(steps)
}

fn patches_of_images<T>(of: &Geometry) -> Patches<usize> {
    let ([_, rows, cols, channels], Moves { stride, padding, dilation }) = (of.x, of.moves);
    Patches {
        image: [rows, cols, channels],
        filter: [of.w[2], of.depth()],
        extents: [of.y[1], of.y[2]],
        stride,
        padding,
        dilation,
        count: of.pixels(),
        packs: packs::<T>(of),
    }
}

/// Filters as images of one pixel, and patches of one tap.
fn patches_of_filters<T>(of: &Geometry) -> Patches<usize> {
    let Moves { stride, padding, dilation } = Moves::PLAIN;
    Patches {
        image: [1, 1, of.depth()],
        filter: [1, of.depth()],
        extents: [1, 1],
        stride,
        padding,
        dilation,
        count: of.w[0],
        packs: packs::<T>(of),
    }
}

/// A step that copies patches of elements, or of packs where these lie side by side, with the memory that it owns and copies them to.
fn copied_patches<'a, T: ConvolvedElement>(
    x: Input<'a, T>,
    of: Patches<usize>,
    plan: &Plan,
    target: &Target,
) -> Result<(Step<'a>, Input<'a, T>), KernelError> {
    let pack = of_pack::<T>();
    let ([rows, cols, channels], [across, depth]) = (of.image, of.filter);
    if channels.is_multiple_of(pack) && x.misalignment() == Some(0) {
        let of = Patches { image: [rows, cols, channels / pack], filter: [across, depth / pack], ..of };
        cells_of::<T, _, 1>(x, of, U32x4::new(0, 0, 0, 0), plan, target)
    } else if const { size_of::<T>() == 4 } {
        cells_of::<T, _, 4>(x, of, T::Bits::default(), plan, target)
    } else {
        cells_of::<T, _, 8>(x, of, T::Bits::default(), plan, target)
    }
}

/// The same for packs of `N` cells of type `U`.
fn cells_of<'a, T: ConvolvedElement, U: AnyBits + GpuType + 'static, const N: usize>(
    x: Input<'a, T>,
    of: Patches<usize>,
    zero: U,
    plan: &Plan,
    target: &Target,
) -> Result<(Step<'a>, Input<'a, T>), KernelError> {
    let mut cells: Box<Buffer<U>> = Box::new(target.device.alloc_uninit(of.count * of.packs * N)?);
    // SAFETY: the step owns the buffer.
    let copied = unsafe { Input::of_step(&cells) }.values();
    let (x, at) = (x.values::<U>(), (plan.grid, plan.block));
    Ok(match of.counted_by() {
        Some(of) => (step!(target, at, conv2d_patches::<U, N, u32>(&x, &mut *cells, of, zero)), copied),
        None => {
            let of = of.map(|number| number as u64);
            (step!(target, at, conv2d_patches::<U, N, u64>(&x, &mut *cells, of, zero)), copied)
        }
    })
}

impl Patches<usize> {
    fn map<I>(self, number: impl Fn(usize) -> I + Copy) -> Patches<I> {
        let Self { image, filter, extents, stride, padding, dilation, count, packs } = self;
        Patches {
            image: image.map(number),
            filter: filter.map(number),
            extents: extents.map(number),
            stride: stride.map(number),
            padding: padding.map(number),
            dilation: dilation.map(number),
            count: number(count),
            packs: number(packs),
        }
    }

    /// The patches by numbers of 32 bits, if those count all packs, the cells of an image, and its padded rows and columns.
    fn counted_by(self) -> Option<Patches<u32>> {
        let reach = |axis: usize, taps: usize| {
            let patches = self.extents[axis].saturating_mul(self.stride[axis]);
            patches.saturating_add(taps.saturating_mul(self.dilation[axis]))
        };
        let cells = self.image.iter().fold(1, |all: usize, extent| all.saturating_mul(*extent));
        let [across, depth] = self.filter;
        let all = [
            self.count.saturating_mul(self.packs),
            cells,
            reach(0, depth),
            reach(1, across),
            depth.saturating_add(PACK_BYTES),
        ];
        all.iter().all(|most| *most <= i32::MAX as usize).then(|| self.map(|number| number as u32))
    }
}
