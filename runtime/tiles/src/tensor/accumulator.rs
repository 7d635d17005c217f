//! Sums of products in the registers of a warp.

use warpsmith_macros::{GpuType, gpu_impl};

use super::{OperandA, OperandB, TensorElement};
use crate::device_api::number::Num;

/// `16 * R` × `8 * C` sums in the registers of a warp, `4 * R * C` of each lane.
///
/// All lanes of the warp make each call together.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::tensor::{Swizzle64, WarpAccumulator};
///
/// /// `c = a * bᵀ` by one warp, 16 × 16 sums of 32 products.
/// #[gpu_kernel]
/// fn multiply(a: View2<f16>, b: View2<f16>, c: ViewMut2<f32>) {
///     let rows = shared!(Tile<f16, 16, 32, Swizzle64>);
///     let cols = shared!(Tile<f16, 16, 32, Swizzle64>);
///     rows.load(a, 0, 0, f16::ZERO);
///     cols.load(b, 0, 0, f16::ZERO);
///     sync_threads();
///     let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
///     for k in (0..32).step_by(16) {
///         sums.mma(&rows.operand_a::<1>(0, k), &cols.operand_bt::<2>(0, k));
///     }
///     sums.store(c, 0, 0, |sum| sum);
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let numbers = |by: usize| -> Vec<f16> { (0..16 * 32).map(|i| f16::from_f32((i * by % 7) as f32)).collect() };
/// # let (a, b) = (gpu.upload(&numbers(3))?, gpu.upload(&numbers(5))?);
/// # let mut c = gpu.upload(&[f32::NAN; 256])?;
/// # multiply(a.view2(16, 32).unwrap(), b.view2(16, 32).unwrap(), c.view2_mut(16, 16).unwrap()).grid(1).block(32).launch(&gpu)?;
/// # for (i, sum) in gpu.download(&c)?.into_iter().enumerate() {
/// #     let at = |m: usize, k: usize, by: usize| ((m * 32 + k) * by % 7) as f32;
/// #     assert_eq!(sum, (0..32).map(|k| at(i / 16, k, 3) * at(i % 16, k, 5)).sum::<f32>());
/// # }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct WarpAccumulator<D, const R: usize, const C: usize> {
    pub(super) registers: [[[D; 4]; C]; R],
}

#[gpu_impl]
impl<D: Num, const R: usize, const C: usize> WarpAccumulator<D, R, C> {
    /// Makes sums that are zero.
    pub fn zero() -> Self {
        WarpAccumulator { registers: [[[D::ZERO; 4]; C]; R] }
    }

    /// Adds the product of `a` and `b`.
    pub fn mma<T: TensorElement<Sum = D>>(&mut self, a: &OperandA<T, R>, b: &OperandB<T, C>) {
        #[unroll]
        for i in 0..R {
            #[unroll]
            for j in 0..C {
                self.registers[i][j] = T::multiply(a.registers[i], b.registers[j], self.registers[i][j]);
            }
        }
    }
}
