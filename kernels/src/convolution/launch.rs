//! Elements of convolutions, and the launches of the kernel of warpgroups for them.

use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;
use warpsmith::tensor_map::BoxLayout;

use super::call::Conv2d;
use super::choice::Choice;
use super::warpgroups::{BLOCKS, STORED, conv2d_warpgroups, stages};
use crate::call::{Plan, Step, Target, step};
use crate::error::KernelError;
use crate::products::finish::Finish;
use crate::products::tensor_cores::element::Stored;
use crate::products::{Epilogue, ProductElement, TensorCoreElement, is_unchanged};

/// Elements of convolutions: `bf16`, `f16` and `f32`.
pub trait ConvolvedElement: ProductElement {
    /// Whether elements are floats of sixteen bits, which warpgroups multiply where they lie.
    #[doc(hidden)]
    const IS_HALF: bool;
    /// An element that is copied.
    #[doc(hidden)]
    type Bits: AnyBits + GpuType + Default + 'static;

    /// The launch for a tile. No plan has tiles of elements that are not halves.
    #[doc(hidden)]
    fn step<'a, E: Epilogue>(
        of: Conv2d<'a, Self, E>,
        choice: Choice,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError>;
}

macro_rules! halves {
    ($($t:ty)+) => {$(
        impl ConvolvedElement for $t {
            const IS_HALF: bool = true;
            type Bits = u16;

            fn step<'a, E: Epilogue>(
                of: Conv2d<'a, Self, E>,
                choice: Choice,
                plan: &Plan,
                target: &Target,
            ) -> Result<Step<'a>, KernelError> {
                by_boxes(of, choice, plan, target)
            }
        }
    )+};
}

halves! { bf16 f16 }

impl ConvolvedElement for f32 {
    const IS_HALF: bool = false;
    type Bits = u32;

    fn step<'a, E: Epilogue>(
        _of: Conv2d<'a, Self, E>,
        _choice: Choice,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        Err(KernelError::Device { kernel: plan.kernel, needs: (9, 0), has: target.device.limits().compute })
    }
}

/// The launch for a tile: whether images lie side by side in a box, whether warpgroups multiply 128 pixels, the extents of the box,
/// filters, and boxes in shared memory.
fn by_boxes<'a, T: ConvolvedElement + TensorCoreElement + Stored, E: Epilogue>(
    of: Conv2d<'a, T, E>,
    choice: Choice,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    macro_rules! launch {
        ($inside:literal, $tall:literal, [$a:literal, $b:literal, $c:literal], $filters:literal, $boxes:literal) => {
            by_warpgroups::<
                T,
                E,
                Swizzle128,
                $inside,
                $tall,
                $a,
                $b,
                $c,
                { $a * $b * $c },
                $filters,
                { $filters / BLOCKS as usize },
                STORED,
                $boxes,
                { stages($a * $b * $c, $boxes, $filters, STORED) },
            >(of, choice, plan, target)
        };
    }
    match (choice.tile, choice.halo) {
        ([8, 4, 8, 128], _) => launch!(true, true, [6, 10, 8], 128, 2),
        ([8, 4, 8, _], _) => launch!(true, true, [6, 10, 8], 64, 2),
        ([8, 2, 8, 128], _) => launch!(true, false, [4, 10, 8], 128, 2),
        ([8, 2, 8, _], _) => launch!(true, false, [4, 10, 8], 64, 2),
        ([1, 32, 8, _], _) => launch!(false, true, [1, 34, 8], 128, 3),
        ([1, 16, 8, 128], true) => launch!(false, false, [1, 18, 8], 128, 4),
        ([1, 16, 8, _], true) => launch!(false, false, [1, 18, 8], 64, 4),
        _ => launch!(false, false, [1, 16, 8], 128, 5),
    }
}

fn by_warpgroups<
    'a,
    T: ConvolvedElement + TensorCoreElement + Stored,
    E: Epilogue,
    L: BoxLayout,
    const INSIDE: bool,
    const TALL: bool,
    const A: usize,
    const B: usize,
    const C: usize,
    const PIXELS: usize,
    const FILTERS: usize,
    const PART: usize,
    const OUT: usize,
    const BOXES: usize,
    const STAGES: usize,
>(
    of: Conv2d<'a, T, E>,
    choice: Choice,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (geometry, device) = (of.geometry(), &target.device);
    let walk = choice.walk(&geometry);
    let Conv2d { x, w, y, bias, epilogue, .. } = of;
    let has_bias = bias.is_some();
    let is_plain = !has_bias && is_unchanged::<E>();
    let bias = bias.unwrap_or_else(|| y.memory().read().nothing());
    let [to, y_strides] = turned(geometry.y, [0; 2], [1; 2], INSIDE);
    let [filters, rows, cols, channels] = geometry.w;
    let (taps, of_filter) = (rows * cols, rows * cols * channels);
    let (x, stride) = (x.into_memory(), geometry.moves.stride);
    // Images of every `stride`-th row and column, from each of the first ones on.
    let seen = |number: usize| -> Result<TensorMap4<'a, T, A, B, C, 64, Swizzle128>, KernelError> {
        let first = [number / stride[1], number % stride[1]];
        let [extents, strides] = turned(geometry.x, first, stride, INSIDE);
        Ok(device.tensor_map4(
            x.behind((first[0] * geometry.x[2] + first[1]) * channels),
            extents,
            strides,
        )?)
    };
    let seen = (0..stride[0] * stride[1]).map(seen).collect::<Result<Vec<_>, _>>()?;
    let [one, two, three] = [1, 2, 3].map(|number| number % seen.len());
    let w: TensorMap4<'a, T, 1, PART, 1, 64, Swizzle128> = device.tensor_map4(
        w.into_memory(),
        [1, filters, taps, channels],
        [filters * of_filter, of_filter, channels, 1],
    )?;
    let mut y: TensorMapMut4<'a, T, 1, 8, 8, OUT, L> =
        device.tensor_map4_mut(y.into_memory(), to, y_strides)?;
    let how = Finish::default();
    Ok(step!(
        target,
        early(plan.grid, plan.block, BLOCKS),
        conv2d_warpgroups::<T, E, L, INSIDE, TALL, A, B, C, PIXELS, FILTERS, PART, OUT, BOXES, STAGES>(
            &seen[0],
            &seen[one],
            &seen[two],
            &seen[three],
            &w,
            &mut y,
            &bias,
            walk,
            how,
            epilogue,
            is_plain,
            has_bias
        )
    ))
}

/// Extents and strides of images, rows, columns and channels; or, if `inside`, of rows, columns, images and channels: of every `stride`-th
/// row and column from the `first` ones on.
fn turned(
    [images, rows, cols, channels]: [usize; 4],
    first: [usize; 2],
    stride: [usize; 2],
    inside: bool,
) -> [[usize; 4]; 2] {
    let [of_image, of_row, of_col] =
        [rows * cols * channels, stride[0] * cols * channels, stride[1] * channels];
    let (rows, cols) = ((rows - first[0]).div_ceil(stride[0]), (cols - first[1]).div_ceil(stride[1]));
    if inside {
        [[rows, cols, images, channels], [of_row, of_col, of_image, 1]]
    } else {
        [[images, rows, cols, channels], [of_image, of_row, of_col, 1]]
    }
}
