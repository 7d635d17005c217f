//! Complex numbers.

use warpsmith::prelude::*;

/// A complex number of two `f32`. CUDA's `float2` and `cuComplex` have the same layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[gpu(AnyBits)]
#[repr(C, align(8))]
pub struct Complex32 {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

/// The square root of one half.
const ROOT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The cosine of thirty-seconds of a turn, from one to seven of them, but four.
#[gpu_fn]
fn cosine(steps: usize) -> f32 {
    if steps == 1 {
        0.980_785_25
    } else if steps == 2 {
        0.923_879_5
    } else if steps == 3 {
        0.831_469_6
    } else if steps == 5 {
        0.555_570_24
    } else if steps == 6 {
        0.382_683_43
    } else {
        0.195_090_32
    }
}

#[gpu_impl]
impl Complex32 {
    /// Zero.
    pub const ZERO: Self = Self { re: 0.0, im: 0.0 };

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// The number with its parts exchanged. Of exchanged numbers, a transform is the inverse one, exchanged.
    pub fn exchanged(self) -> Self {
        Self { re: self.im, im: self.re }
    }

    /// The number with the opposite imaginary part.
    pub fn conjugate(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// The product with a real number.
    pub fn scaled(self, factor: f32) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }

    /// `exp(-πi * angle)`: one, turned back by `angle` half turns.
    pub fn unit(angle: f32) -> Self {
        let (sine, cosine) = sincospi(-angle);
        Self { re: cosine, im: sine }
    }

    /// The same for an angle from 0 to an eighth, by polynomials: Taylor's, whose next terms are below the rounding.
    pub fn near_one(angle: f32) -> Self {
        let square = angle * angle;
        let cosine = ((0.235_330_63 * square - 1.335_262_8) * square + 4.058_712) * square - 4.934_802;
        let sine = ((-0.599_264_5 * square + 2.550_164) * square - 5.167_713) * square + std::f32::consts::PI;
        Self { re: cosine * square + 1.0, im: -(sine * angle) }
    }

    /// The number turned back by less than half a turn: times `exp(-2πi * steps / 32)`.
    pub fn turned(self, steps: usize) -> Self {
        let (rest, quarter) = (steps % 8, Self { re: self.im, im: -self.re });
        let Self { re, im } = if steps < 8 { self } else { quarter };
        if rest == 0 {
            Self { re, im }
        } else if rest == 4 {
            Self { re: (re + im) * ROOT, im: (im - re) * ROOT }
        } else {
            let (along, across) = (cosine(rest), cosine(8 - rest));
            Self { re: re * along + im * across, im: im * along - re * across }
        }
    }
}
