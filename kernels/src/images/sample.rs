//! Samples of images, the numbers in which they are summed, and neighbours that one instruction loads.

use warpsmith::prelude::*;

/// A sample of an image or a field, and the type in which samples are multiplied and added.
///
/// | samples | sums | a sum as a sample |
/// |---|---|---|
/// | `u8` | `f32` | rounded to the nearest, half-way cases to even; below 0 and NaN: 0; above 255: 255 |
/// | `f16` `bf16` `f32` | `f32` | rounded to the nearest |
/// | `f64` | `f64` | the same |
#[gpu_trait]
pub trait Sample: Num {
    /// The type of sums.
    type Sum: Float + Sample;
    /// Neighbouring samples that one instruction loads: two of `f64`, four of the others.
    type Neighbours: GpuType;

    /// The sample as a sum.
    fn sum(self) -> Self::Sum;
    /// The sum as a sample.
    fn of_sum(sum: Self::Sum) -> Self;
    /// Two to the power of a sum, to two units in the last place at least.
    fn power_of_two(sum: Self::Sum) -> Self::Sum;
    /// Number `k` of neighbours.
    fn of_neighbours(neighbours: Self::Neighbours, k: usize) -> Self::Sum;
    /// Neighbours of four sums; of `f64`, of the first two.
    fn neighbours(sums: [Self::Sum; 4]) -> Self::Neighbours;
}

#[gpu_impl]
impl Sample for f32 {
    type Sum = f32;
    type Neighbours = F32x4;

    fn sum(self) -> f32 {
        self
    }
    fn of_sum(sum: f32) -> Self {
        sum
    }
    fn power_of_two(sum: f32) -> f32 {
        fast_exp2(sum)
    }
    fn of_neighbours(of: F32x4, k: usize) -> f32 {
        if k == 0 {
            of.x
        } else if k == 1 {
            of.y
        } else if k == 2 {
            of.z
        } else {
            of.w
        }
    }
    fn neighbours([x, y, z, w]: [f32; 4]) -> F32x4 {
        F32x4 { x, y, z, w }
    }
}

#[gpu_impl]
impl Sample for f64 {
    type Sum = f64;
    type Neighbours = F64x2;

    fn sum(self) -> f64 {
        self
    }
    fn of_sum(sum: f64) -> Self {
        sum
    }
    fn power_of_two(sum: f64) -> f64 {
        sum.exp2()
    }
    fn of_neighbours(of: F64x2, k: usize) -> f64 {
        if k == 0 { of.x } else { of.y }
    }
    fn neighbours([x, y, _, _]: [f64; 4]) -> F64x2 {
        F64x2 { x, y }
    }
}

macro_rules! halves {
    ($($t:ident: |$bits:ident| $sum:expr;)+) => {$(
        #[gpu_impl]
        impl Sample for $t {
            type Sum = f32;
            type Neighbours = U32x2;

            fn sum(self) -> f32 {
                self.to_f32()
            }
            fn of_sum(sum: f32) -> Self {
                $t::from_f32(sum)
            }
            fn power_of_two(sum: f32) -> f32 {
                fast_exp2(sum)
            }
            fn of_neighbours(of: U32x2, k: usize) -> f32 {
                let word = if k < 2 { of.x } else { of.y };
                let $bits = if k % 2 == 0 { word & 0xffff } else { word >> 16 };
                $sum
            }
            fn neighbours(sums: [f32; 4]) -> U32x2 {
                let word = |low: f32, high: f32| {
                    $t::from_f32(low).to_bits() as u32 | ($t::from_f32(high).to_bits() as u32) << 16
                };
                U32x2 { x: word(sums[0], sums[1]), y: word(sums[2], sums[3]) }
            }
        }
    )+};
}

halves! {
    f16: |bits| f16::from_bits(bits as u16).to_f32();
    bf16: |bits| f32::from_bits(bits << 16);
}

/// 2^23, whose last bits count ones.
const ONES: f32 = 8_388_608.0;

#[gpu_impl]
impl Sample for u8 {
    type Sum = f32;
    type Neighbours = u32;

    fn sum(self) -> f32 {
        self as f32
    }
    fn of_sum(sum: f32) -> Self {
        byte(sum) as u8
    }
    fn power_of_two(sum: f32) -> f32 {
        fast_exp2(sum)
    }
    fn of_neighbours(of: u32, k: usize) -> f32 {
        // A conversion takes as long as four additions.
        f32::from_bits((of >> (8 * k as u32)) & 0xff | ONES.to_bits()) - ONES
    }
    fn neighbours(sums: [f32; 4]) -> u32 {
        byte(sums[0]) | byte(sums[1]) << 8 | byte(sums[2]) << 16 | byte(sums[3]) << 24
    }
}

/// The nearest number of 0 to 255; 0 of NaN.
#[gpu_fn]
#[allow(clippy::manual_clamp, reason = "`clamp` keeps NaN")]
fn byte(sum: f32) -> u32 {
    // The sum with 2^23 has no bits behind the point, and rounds as sums do: to the nearest, half-way cases to even.
    (sum.max(0.0).min(255.0) + ONES).to_bits() & 0xff
}
