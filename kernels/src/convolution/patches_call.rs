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
use crate::products::Epilogue;

/// Blocks of a multiprocessor.
const RESIDENT: usize = 4;

/// Elements from one patch to the next: each begins at a multiple of 16 bytes.
fn apart<T>(of: &Geometry) -> usize {
    of.depth().next_multiple_of(16 / size_of::<T>())
}

/// Whether the filters have rows of their own, at multiples of 16 bytes, as patches of one tap.
fn moves_filters<T>(of: &Geometry) -> bool {
    apart::<T>(of) != of.depth()
}

/// The plan of a convolution that warpgroups do not compute, for this reason.
pub(super) fn plan<T>(of: &Geometry, types: String, why: &str, limits: &Limits) -> Plan {
    let filters = if moves_filters::<T>(of) { of.w[0] } else { 0 };
    let rows = of.pixels().saturating_add(filters);
    let blocks = of.pixels().saturating_mul(of.depth()).div_ceil(THREADS as usize);
    Plan {
        kernel: "conv2d_patches",
        types,
        tile: of.depth(),
        grid: blocks.min(limits.multiprocessors.max(1) as usize * RESIDENT * 8) as u32,
        block: THREADS,
        shared: 0,
        workspace: rows.saturating_mul(apart::<T>(of)).saturating_mul(size_of::<T>()),
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
    let mut copied = |memory, patches, rows| -> Result<Matrix<'a, T>, KernelError> {
        let (step, input) = copied_patches::<T>(memory, patches, rows, plan, target)?;
        steps.push(step);
        matrix(input, rows, of.depth())?.stride(apart::<T>(&of))
    };
    let a = copied(x, patches_of_images::<T>(&of), of.pixels())?;
    let filters = if moves_filters::<T>(&of) {
        copied(w, patches_of_filters::<T>(&of), of.w[0])?
    } else {
        matrix(w, of.w[0], of.depth())?
    };
    let product = Conv2d::product(a, filters, y.into_memory(), bias, epilogue)?;
    let plan = product.plan(target.device.limits())?;
    steps.extend(product.steps(&plan, target)?);
    Ok(steps)
}

fn patches_of_images<T>(of: &Geometry) -> Patches {
    let ([_, rows, cols, channels], Moves { stride, padding, dilation }) = (of.x, of.moves);
    Patches {
        image: [rows, cols, channels],
        filter: [of.w[2], of.depth()],
        extents: [of.y[1], of.y[2]],
        stride,
        padding,
        dilation,
        count: of.pixels(),
        apart: apart::<T>(of),
    }
}

/// Filters as images of one pixel, and patches of one tap.
fn patches_of_filters<T>(of: &Geometry) -> Patches {
    let Moves { stride, padding, dilation } = Moves::PLAIN;
    Patches {
        image: [1, 1, of.depth()],
        filter: [1, of.depth()],
        extents: [1, 1],
        stride,
        padding,
        dilation,
        count: of.w[0],
        apart: apart::<T>(of),
    }
}

/// A step that copies patches of elements, or of 16 bytes where these lie side by side, with the memory that it owns and copies them to.
fn copied_patches<'a, T: ConvolvedElement>(
    x: Input<'a, T>,
    of: Patches,
    rows: usize,
    plan: &Plan,
    target: &Target,
) -> Result<(Step<'a>, Input<'a, T>), KernelError> {
    let pack = 16 / size_of::<T>();
    let [height, width, channels] = of.image;
    let len = rows * of.apart;
    if channels.is_multiple_of(pack) && x.misalignment() == Some(0) {
        let of = Patches {
            image: [height, width, channels / pack],
            filter: [of.filter[0], of.filter[1] / pack],
            apart: of.apart / pack,
            ..of
        };
        cells_of::<T, _>(x, of, len / pack, U32x4::new(0, 0, 0, 0), plan, target)
    } else {
        cells_of::<T, _>(x, of, len, T::Bits::default(), plan, target)
    }
}

/// The same for cells of type `U`.
fn cells_of<'a, T: ConvolvedElement, U: AnyBits + GpuType + 'static>(
    x: Input<'a, T>,
    of: Patches,
    len: usize,
    zero: U,
    plan: &Plan,
    target: &Target,
) -> Result<(Step<'a>, Input<'a, T>), KernelError> {
    let mut cells: Box<Buffer<U>> = Box::new(target.device.alloc_uninit(len)?);
    // SAFETY: the step owns the buffer.
    let copied = unsafe { Input::of_step(&cells) }.values();
    let (x, at) = (x.values::<U>(), (plan.grid, plan.block));
    Ok((step!(target, at, conv2d_patches::<U>(&x, &mut *cells, of, zero)), copied))
}
