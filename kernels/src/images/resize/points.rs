//! Where a result lies between the pixels of the input, and their weights.

use warpsmith::prelude::*;

/// How pixels between others are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, GpuType)]
#[repr(u32)]
pub enum Interpolation {
    /// The nearest pixel; of two at the same distance, the later one. PyTorch's `nearest-exact`.
    Nearest,
    /// On straight lines between two pixels along each axis.
    Bilinear,
    /// On cubic curves through four pixels along each axis, with the slope -0.75 of PyTorch and OpenCV.
    Bicubic,
}

/// The pixels of both sides along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Scale {
    /// Those of the input.
    pub from: usize,
    /// Those of the output.
    pub to: usize,
}

/// The first pixel that has a share in a result, which may be beyond the edge, and the weights from it on.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Point<S> {
    /// The pixel.
    pub first: isize,
    /// The weights.
    pub weights: [S; 4],
}

/// The point of result `i`. The centres of pixels are at halves, and the distance from one is exact before it is rounded to a weight.
#[gpu_fn]
pub fn point<S: Float>(i: usize, scale: Scale, method: Interpolation) -> Point<S> {
    let [zero, one] = [S::ZERO, S::ONE];
    let twice = 2 * scale.to as isize;
    let centre = (2 * i as isize + 1) * scale.from as isize;
    if let Interpolation::Nearest = method {
        return Point { first: centre / twice, weights: [one, zero, zero, zero] };
    }
    let from_centre = centre - scale.to as isize;
    let before = from_centre.div_euclid(twice);
    let t = from_centre.rem_euclid(twice).cast::<S>() / twice.cast::<S>();
    if let Interpolation::Bilinear = method {
        return Point { first: before, weights: [one - t, t, zero, zero] };
    }
    let weights = [outer::<S>(one + t), inner::<S>(t), inner::<S>(one - t), outer::<S>(one + one - t)];
    Point { first: before - 1, weights }
}

/// The cubic weight of a pixel less than 1 away.
#[gpu_fn]
fn inner<S: Float>(t: S) -> S {
    // (a + 2) t³ - (a + 3) t² + 1
    let (a2, a3) = (1.25f32.cast::<S>(), 2.25f32.cast::<S>());
    (a2 * t - a3) * t * t + S::ONE
}

/// The cubic weight of a pixel 1 to 2 away.
#[gpu_fn]
fn outer<S: Float>(t: S) -> S {
    // a t³ - 5a t² + 8a t - 4a
    let (a, a5) = ((-0.75f32).cast::<S>(), (-3.75f32).cast::<S>());
    ((a * t - a5) * t + (-6.0f32).cast::<S>()) * t - (-3.0f32).cast::<S>()
}
