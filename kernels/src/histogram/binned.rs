//! Computes the bin of a value.

use warpsmith::prelude::*;

/// The number of no bin: of values outside the range.
pub const NONE: u32 = u32::MAX;

/// A type of values that [`histogram`](super::histogram) counts: `u8`, `u16`, `i32`, `u32`, `f32` and `f64`.
#[gpu_trait]
pub trait Binned: Num + core::fmt::Display + 'static {
    /// A range, divided into even bins.
    type Bounds: GpuType;

    /// The bin of the value, or `u32::MAX` if it is in none.
    fn bin(self, bounds: Self::Bounds) -> u32;
}

/// Makes the bounds of bins, on the host.
pub trait Bounded: Binned {
    /// `bins` bins of width one, from zero on.
    fn unit(bins: u32, is_clamped: bool) -> Self::Bounds;

    /// `bins` even bins of `low..high`.
    ///
    /// # Errors
    /// What the range has instead of a value for each bin.
    fn even(low: Self, high: Self, bins: u32, is_clamped: bool) -> Result<Self::Bounds, String>;
}

/// A range of integers.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct IntegerBounds {
    /// The least value of the first bin.
    low: i64,
    /// Number of values in all bins.
    values: u32,
    /// `2^64 * bins / values`, rounded up; zero if these are equal.
    factor: u64,
    /// Number of bins.
    bins: u32,
    /// Whether values outside the range count in the first and the last bin.
    is_clamped: bool,
}

/// A range of floats.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct FloatBounds<F> {
    low: F,
    high: F,
    /// Bins in a range of length one.
    scale: F,
    /// Number of bins.
    bins: u32,
    /// Whether values outside the range count in the first and the last bin.
    is_clamped: bool,
}

/// The bin of an integer. It is exact, since `factor` is too large by less than one and offsets are below `2^32`.
#[gpu_fn]
fn bin_of(value: i64, bounds: IntegerBounds) -> u32 {
    // Below the range, the offset wraps around to a number above it.
    let offset = (value - bounds.low) as u32;
    if offset < bounds.values {
        return if bounds.factor == 0 { offset } else { mul_hi(offset as u64, bounds.factor) as u32 };
    }
    if !bounds.is_clamped {
        NONE
    } else if value < bounds.low {
        0
    } else {
        bounds.bins - 1
    }
}

/// The bin of a value outside `low..high`: the first or the last one if the call is clamped. A NaN has none.
#[gpu_fn]
pub fn outside<T: Num>(value: T, low: T, high: T, bins: u32, is_clamped: bool) -> u32 {
    if !is_clamped {
        NONE
    } else if value < low {
        0
    } else if value >= high {
        bins - 1
    } else {
        NONE
    }
}

macro_rules! integers {
    ($($t:ty)+) => {$(
        #[gpu_impl]
        impl Binned for $t {
            type Bounds = IntegerBounds;

            fn bin(self, bounds: IntegerBounds) -> u32 {
                bin_of(self as i64, bounds)
            }
        }

        impl Bounded for $t {
            fn unit(bins: u32, is_clamped: bool) -> IntegerBounds {
                IntegerBounds { low: 0, values: bins, factor: 0, bins, is_clamped }
            }

            fn even(low: $t, high: $t, bins: u32, is_clamped: bool) -> Result<IntegerBounds, String> {
                let (low, high) = (i64::from(low), i64::from(high));
                if high - low < i64::from(bins) {
                    return Err(format!("{} values", (high - low).max(0)));
                }
                let values = (high - low) as u32;
                let factor = ((u128::from(bins) << 64).div_ceil(values.into())) as u64;
                Ok(IntegerBounds { low, values, factor, bins, is_clamped })
            }
        }
    )+};
}

integers! { u8 u16 i32 u32 }

macro_rules! floats {
    ($($t:ident)+) => {$(
        #[gpu_impl]
        impl Binned for $t {
            type Bounds = FloatBounds<$t>;

            fn bin(self, bounds: FloatBounds<$t>) -> u32 {
                if self >= bounds.low && self < bounds.high {
                    // Rounding may reach the end of the range.
                    return (((self - bounds.low) * bounds.scale) as u32).min(bounds.bins - 1);
                }
                outside::<$t>(self, bounds.low, bounds.high, bounds.bins, bounds.is_clamped)
            }
        }

        impl Bounded for $t {
            fn unit(bins: u32, is_clamped: bool) -> FloatBounds<$t> {
                FloatBounds { low: 0.0, high: bins as $t, scale: 1.0, bins, is_clamped }
            }

            fn even(low: $t, high: $t, bins: u32, is_clamped: bool) -> Result<FloatBounds<$t>, String> {
                let scale = (f64::from(bins) / (f64::from(high) - f64::from(low))) as $t;
                let is_finite = [low, high, scale, high - low].into_iter().all($t::is_finite);
                if is_finite && low < high {
                    Ok(FloatBounds { low, high, scale, bins, is_clamped })
                } else {
                    Err(format!("{low}..{high}"))
                }
            }
        }
    )+};
}

floats! { f32 f64 }
