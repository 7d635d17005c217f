//! Sums of products in the registers of a warpgroup.

use core::marker::PhantomData;

use warpsmith_macros::{gpu_fn, gpu_impl};

use super::registers::Registers;
use super::{Chain, HalfElement, LeftOperand};
use crate::device_api::index::thread_rank;
use crate::device_api::number::Num;
use crate::device_api::shuffle::shfl_xor;
use crate::device_api::wgmma::{WgmmaElement, wgmma_pin};
use crate::ir::{FieldType, StructType, Type, ValueLayout};
use crate::tile::{Canonical, Tile};
use crate::types::DeviceType;

/// 64 × `N` sums in the registers of a warpgroup, `N / 2` in each thread. `N` is a multiple of 8 from 8 to 256.
///
/// All 128 threads of the warpgroup make each call together. Operands are tiles in shared memory with rows of 128 bytes,
/// [`Swizzle128`](super::Swizzle128), or [`Panels`](super::Panels) of them. The type is not `Copy`, and a [`Chain`] borrows the
/// sums while products are in flight. Writes by threads to the tiles become visible to the tensor cores after each writing thread
/// calls `ptx::fence_proxy_async`, followed by a barrier. Compute capability 9.0 only.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::ptx::fence_proxy_async;
/// use warpsmith::tensor::{Accumulator, Swizzle128};
///
/// /// `c = a * bᵀ` by one warpgroup, 64 × 32 sums of 64 products.
/// #[gpu_kernel]
/// fn multiply(a: View2<bf16>, b: View2<bf16>, c: ViewMut2<f32>) {
///     let rows = shared!(Tile<bf16, 64, 64, Swizzle128>);
///     let cols = shared!(Tile<bf16, 32, 64, Swizzle128>);
///     rows.load(a, 0, 0, bf16::ZERO);
///     cols.load(b, 0, 0, bf16::ZERO);
///     fence_proxy_async();
///     sync_threads();
///     let mut sums = Accumulator::<f32, 32>::zero();
///     sums.mma_abt(rows, cols, true);
///     sums.store(c, 0, 0, |sum| sum);
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let numbers = |count: usize, by: usize| -> Vec<bf16> { (0..count).map(|i| bf16::from_f32((i * by % 7) as f32)).collect() };
/// # let (a, b) = (gpu.upload(&numbers(64 * 64, 3))?, gpu.upload(&numbers(32 * 64, 5))?);
/// # let mut c = gpu.upload(&[f32::NAN; 64 * 32])?;
/// # multiply(a.view2(64, 64).unwrap(), b.view2(32, 64).unwrap(), c.view2_mut(64, 32).unwrap()).grid(1).block(128).launch(&gpu)?;
/// # for (i, sum) in gpu.download(&c)?.into_iter().enumerate() {
/// #     let at = |m: usize, k: usize, by: usize| ((m * 64 + k) * by % 7) as f32;
/// #     assert_eq!(sum, (0..64).map(|k| at(i / 32, k, 3) * at(i % 32, k, 5)).sum::<f32>());
/// # }
/// # Ok(()) }
/// ```
///
/// Another number of columns does not compile:
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// use warpsmith::tensor::Accumulator;
///
/// #[gpu_kernel]
/// fn odd(out: ViewMut2<f32>) {
///     let sums = Accumulator::<f32, 100>::zero();
///     sums.store(out, 0, 0, |sum| sum);
/// }
/// # let gpu = Device::simulator();
/// # let mut out = gpu.upload(&[0.0; 6400]).unwrap();
/// odd(out.view2_mut(64, 100).unwrap()).grid(1).block(128).launch(&gpu).unwrap();
/// ```
#[derive(Debug)]
pub struct Accumulator<D, const N: usize> {
    pub(super) registers: Registers<[D; 4], N, 8>,
}

impl<D: Num, const N: usize> DeviceType for Accumulator<D, N> {
    type Erased = Accumulator<D::Erased, N>;

    fn ty() -> Type {
        let registers = FieldType { name: "registers", ty: Registers::<[D; 4], N, 8>::ty(), offset: 0 };
        let name = format!("Accumulator_{}_{N}", D::ty().suffix());
        let ValueLayout { size, align, .. } = Self::LAYOUT;
        Type::Struct(StructType::new(name, vec![registers], size, align).into())
    }

    const LAYOUT: ValueLayout = Registers::<[D; 4], N, 8>::LAYOUT;

    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: as promised by the caller; the registers are all there is.
        Accumulator { registers: unsafe { Registers::from_ir(at) } }
    }

    unsafe fn to_ir(self, at: *mut u8) {
        // SAFETY: as in `from_ir`.
        unsafe { self.registers.to_ir(at) }
    }
}

#[gpu_impl]
impl<D: Num, const N: usize> Accumulator<D, N> {
    /// Sums of nothing.
    pub fn zero() -> Self {
        Accumulator { registers: Registers::<[D; 4], N, 8>::ZERO }
    }

    /// Begins products, which borrow the sums until [`Chain::finish`].
    #[track_caller]
    pub fn chain(&mut self) -> Chain<'_, D, N> {
        wgmma_pin(&mut self.registers);
        Chain { sums: self }
    }

    /// Adds `a * bᵀ`, and waits: [`Chain::start_abt`], then [`Chain::finish`].
    #[track_caller]
    pub fn mma_abt<T: WgmmaElement<Sum = D>, const K: usize, L: Canonical, M: Canonical>(
        &mut self,
        a: Tile<T, 64, K, L>,
        b: Tile<T, N, K, M>,
        keep: bool,
    ) {
        let mut chain = self.chain();
        chain.start_abt(a, b, keep);
        chain.finish();
    }

    /// Adds `a * b`, and waits: [`Chain::start_ab`], then [`Chain::finish`].
    #[track_caller]
    pub fn mma_ab<T: WgmmaElement<Sum = D> + HalfElement, const K: usize, L: Canonical, M: Canonical>(
        &mut self,
        a: Tile<T, 64, K, L>,
        b: Tile<T, K, N, M>,
        keep: bool,
    ) {
        let mut chain = self.chain();
        chain.start_ab(a, b, keep);
        chain.finish();
    }

    /// Replaces each sum of the `COLS` columns from `first` on by `change(row, col, sum)`. Both are multiples of 8.
    pub fn map_columns<const COLS: usize, F: Fn(usize, usize, D) -> D>(&mut self, first: usize, change: F) {
        let thread = thread_rank() as usize % 128;
        let (row, col) = (thread / 32 * 16 + thread % 32 / 4, thread % 4 * 2);
        #[unroll]
        for i in 0..COLS / 8 {
            let j = first / 8 + i;
            #[unroll]
            for e in 0..4usize {
                self.registers[j][e] = change(row + e / 2 * 8, col + j * 8 + e % 2, self.registers[j][e]);
            }
        }
    }
}

#[gpu_impl]
impl<D: Num, const N: usize> Accumulator<D, N> {
    /// Folds the calling thread's sums of each of its two rows by `join`, beginning with `start`.
    ///
    /// Thread `t` has every fourth pair of columns of two rows: row `t / 32 * 16 + t % 32 / 4`, and the row eight below it.
    pub fn fold_rows<X: Num, F: Fn(X, D) -> X>(&self, start: [X; 2], join: F) -> [X; 2] {
        let mut rows = start;
        #[unroll]
        for j in 0..N / 8 {
            #[unroll]
            for e in 0..4usize {
                rows[e / 2] = join(rows[e / 2], self.registers[j][e]);
            }
        }
        rows
    }

    /// Replaces each sum by `change(sum, x)`, where `x` is the value of `of_rows` for its row.
    pub fn map_rows<X: Num, F: Fn(D, X) -> D>(&mut self, of_rows: [X; 2], change: F) {
        #[unroll]
        for j in 0..N / 8 {
            #[unroll]
            for e in 0..4usize {
                self.registers[j][e] = change(self.registers[j][e], of_rows[e / 2]);
            }
        }
    }

    /// Multiplies each row by its factor.
    pub fn scale_rows(&mut self, factors: [D; 2]) {
        self.map_rows(factors, |sum, factor| sum * factor);
    }
}

#[gpu_impl]
impl<const N: usize> Accumulator<f32, N> {
    /// The largest sum of each row of the calling thread, without NaNs. All threads of a row get the same value.
    pub fn row_max(&self) -> [f32; 2] {
        let most = self.fold_rows([f32::NEG_INFINITY; 2], |most, sum| most.max(sum));
        across_rows(most, |a, b| a.max(b))
    }

    /// The total of each row of the calling thread. All threads of a row get the same value.
    pub fn row_sum(&self) -> [f32; 2] {
        let total = self.fold_rows([0.0; 2], |total, sum| total + sum);
        across_rows(total, |a, b| a + b)
    }

    /// The sums, rounded to `T`, as the left operand of another product. Each sum stays in its thread.
    pub fn to_operand<T: HalfElement>(&self) -> LeftOperand<T, N> {
        let mut registers = Registers::<[u32; 4], N, 16>::NONE;
        #[unroll]
        for i in 0..N / 16 {
            let (left, right) = (self.registers[2 * i], self.registers[2 * i + 1]);
            registers[i] = [
                T::pair(left[0], left[1]),
                T::pair(left[2], left[3]),
                T::pair(right[0], right[1]),
                T::pair(right[2], right[3]),
            ];
        }
        LeftOperand { registers, element: PhantomData }
    }
}

/// Joins the values of the four threads of a row, for each of the calling thread's two rows. All lanes of the warp make the
/// call together.
#[gpu_fn]
pub fn across_rows<X: Num, F: Fn(X, X) -> X>(rows: [X; 2], join: F) -> [X; 2] {
    let mut rows = rows;
    #[unroll]
    for i in 0..2usize {
        rows[i] = join(rows[i], shfl_xor(rows[i], 1));
        rows[i] = join(rows[i], shfl_xor(rows[i], 2));
    }
    rows
}
