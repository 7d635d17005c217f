//! Sums of products in the registers of a warp.

use core::mem::size_of;

use warpsmith_macros::{GpuType, gpu_fn, gpu_impl};

use super::{OperandA, OperandB, TensorElement};
use crate::device_api::index::lane_id;
use crate::device_api::number::Num;
use crate::types::vector::U32x2;
use crate::types::{AnyBits, ViewMut2};

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
    registers: [[[D; 4]; C]; R],
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

    /// Calls `visit(row, col, sum)` with each sum that the calling lane has.
    pub fn for_each<F: FnMut(usize, usize, D)>(&self, mut visit: F) {
        let lane = lane_id() as usize;
        #[unroll]
        for i in 0..R {
            #[unroll]
            for j in 0..C {
                #[unroll]
                for e in 0..4usize {
                    let (row, col) = (lane / 4 + i * 16 + e / 2 * 8, lane % 4 * 2 + j * 8 + e % 2);
                    visit(row, col, self.registers[i][j][e]);
                }
            }
        }
    }

    /// Replaces each sum by `change(row, col, sum)`.
    pub fn map<F: Fn(usize, usize, D) -> D>(&mut self, change: F) {
        let lane = lane_id() as usize;
        #[unroll]
        for i in 0..R {
            #[unroll]
            for j in 0..C {
                #[unroll]
                for e in 0..4usize {
                    let (row, col) = (lane / 4 + i * 16 + e / 2 * 8, lane % 4 * 2 + j * 8 + e % 2);
                    self.registers[i][j][e] = change(row, col, self.registers[i][j][e]);
                }
            }
        }
    }

    /// Stores `convert(sum)` of each sum to `y`, from (`row`, `col`) on. It leaves out elements outside `y`.
    ///
    /// If the addresses allow it, it stores two elements of 16 or 32 bits at once.
    pub fn store<O: AnyBits, F: Fn(D) -> O>(&self, y: ViewMut2<O>, row: usize, col: usize, convert: F) {
        let lane = lane_id() as usize;
        let (row, col) = (row + lane / 4, col + lane % 4 * 2);
        let first = y.address(row as isize, col as isize) as usize;
        let in_pairs = size_of::<O>() <= 4 && first % (2 * size_of::<O>()) == 0 && y.stride() % 2 == 0;
        #[unroll]
        for i in 0..R {
            #[unroll]
            for j in 0..C {
                #[unroll]
                for half in 0..2usize {
                    let (r, c) = (row + i * 16 + half * 8, col + j * 8);
                    let to = y.address(r as isize, c as isize);
                    let (a, b) = (self.registers[i][j][half * 2], self.registers[i][j][half * 2 + 1]);
                    if in_pairs && r < y.rows() && c + 1 < y.cols() {
                        store_pair(to, convert(a), convert(b));
                    } else if r < y.rows() {
                        if c < y.cols() {
                            unsafe { *to = convert(a) }
                        }
                        if c + 1 < y.cols() {
                            unsafe { *to.wrapping_add(1) = convert(b) }
                        }
                    }
                }
            }
        }
    }
}

/// Stores two elements at an address that is a multiple of their size.
#[gpu_fn]
fn store_pair<O: AnyBits>(to: *mut O, a: O, b: O) {
    let mut words = [0u32; 4];
    let elements = words.as_mut_ptr() as *mut O;
    let (words2, words4) = (to as *mut u32, to as *mut U32x2);
    unsafe {
        *elements = a;
        *elements.wrapping_add(1) = b;
        match size_of::<O>() {
            2 => *words2 = words[0],
            4 => *words4 = U32x2::new(words[0], words[1]),
            _ => {
                *to = a;
                *to.wrapping_add(1) = b;
            }
        }
    }
}
