//! Elements of rows as kernels load them: one at a time, or in packs of 16 bytes.

use warpsmith::prelude::*;

use crate::pack::Pack;

/// An element of a row: `f32`, `f16` or `bf16`. Rows are computed in `f32`.
#[gpu_trait]
pub trait RowElement: Float + Packed {}

/// One or several elements of a row, which one instruction loads or stores.
#[gpu_trait]
pub trait Packed: GpuType + 'static {
    /// Zeros.
    fn zero() -> Self;
    /// Element `k`.
    fn get(self, k: usize) -> f32;
    /// The same with another element `k`, rounded to the nearest.
    fn with(self, k: usize, value: f32) -> Self;
}

#[gpu_impl]
impl<T: RowElement, const N: usize> Packed for Pack<T, N> {
    fn zero() -> Self {
        Pack([T::ZERO; N])
    }
    fn get(self, k: usize) -> f32 {
        self.0[k].cast::<f32>()
    }
    fn with(self, k: usize, value: f32) -> Self {
        let mut changed = self;
        changed.0[k] = value.cast::<T>();
        changed
    }
}

macro_rules! elements {
    ($($t:ident)+) => {$(
        #[gpu_impl]
        impl RowElement for $t {}

        #[gpu_impl]
        impl Packed for $t {
            fn zero() -> Self {
                $t::ZERO
            }
            fn get(self, _k: usize) -> f32 {
                self.cast::<f32>()
            }
            fn with(self, _k: usize, value: f32) -> Self {
                value.cast::<$t>()
            }
        }
    )+};
}

elements! { f32 f16 bf16 }

/// The elements as numbers.
#[gpu_fn]
pub fn floats<P: Packed, const N: usize>(packed: P) -> [f32; N] {
    let mut values = [0.0; N];
    #[unroll]
    for k in 0..N {
        values[k] = packed.get(k);
    }
    values
}

/// The sums of elements, each rounded to the type of the elements.
#[gpu_fn]
pub fn plus<P: Packed, const N: usize>(a: P, b: P) -> P {
    let mut sum = a;
    #[unroll]
    for k in 0..N {
        sum = sum.with(k, a.get(k) + b.get(k));
    }
    sum
}

/// Numbers as elements, each rounded to the nearest.
#[gpu_fn]
pub fn rounded<P: Packed, const N: usize>(values: [f32; N]) -> P {
    let mut packed = P::zero();
    #[unroll]
    for k in 0..N {
        packed = packed.with(k, values[k]);
    }
    packed
}
