//! Sums of products in the registers of a warpgroup.

use core::mem::size_of;

use warpsmith_macros::{GpuType, gpu_fn, gpu_impl};

use super::Swizzle;
use crate::device_api::index::thread_rank;
use crate::device_api::ldmatrix::stmatrix_x4;
use crate::device_api::number::Num;
use crate::device_api::wgmma::{
    WgmmaElement, matrix_descriptor, wgmma, wgmma_commit, wgmma_fence, wgmma_wait,
};
use crate::tile::{Layout, Tile};
use crate::types::{AnyBits, ViewMut2};

/// 64 × `8 * C` sums in the registers of a warpgroup, `4 * C` of each thread.
///
/// All 128 threads of the warpgroup make each call together. Operands are tiles in shared memory with rows of 128 bytes and
/// the layout [`Swizzle128`](super::Swizzle128), in arrays declared with `align = 1024`. After threads have written a tile,
/// each of them calls `ptx::fence_proxy_async` and they meet at a barrier; then the tensor cores see the tile. Compute
/// capability 9.0, on that architecture alone.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::ptx::fence_proxy_async;
/// use warpsmith::tensor::{Accumulator, Swizzle128};
///
/// /// `c = a * bᵀ` by one warpgroup, 64 × 32 sums of 64 products.
/// #[gpu_kernel]
/// fn multiply(a: View2<bf16>, b: View2<bf16>, c: ViewMut2<f32>) {
///     let mut rows = shared!([bf16; 4096], align = 1024);
///     let mut cols = shared!([bf16; 2048], align = 1024);
///     let rows = Tile::<bf16, 64, 64, Swizzle128>::new(&mut rows);
///     let cols = Tile::<bf16, 32, 64, Swizzle128>::new(&mut cols);
///     rows.load(a, 0, 0, bf16::ZERO);
///     cols.load(b, 0, 0, bf16::ZERO);
///     fence_proxy_async();
///     sync_threads();
///     let mut sums = Accumulator::<f32, 4>::zero();
///     sums.mma_abt(rows, 0, cols, true);
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
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Accumulator<D, const C: usize> {
    registers: [[D; 4]; C],
}

impl<T, const ROWS: usize, const COLS: usize, const GROUP: usize>
    Tile<'_, T, ROWS, COLS, Swizzle<128, GROUP>>
{
    /// Bytes from a piece of eight rows to the next.
    const PIECE: u32 = {
        assert!(
            COLS * size_of::<T>() == 128 && GROUP * size_of::<T>() == 16 && ROWS % 8 == 0,
            "a warpgroup multiplies tiles with rows of 128 bytes, `Swizzle128<N>` where N elements are 16 bytes, and whole pieces \
             of 8 rows"
        );
        1024
    };
}

impl<T, const COLS: usize, L> Tile<'_, T, 64, COLS, L> {
    /// Squares of 16 × 16 elements side by side.
    const SQUARES: usize = {
        assert!(
            size_of::<T>() == 2 && COLS % 16 == 0,
            "a warpgroup stores elements of 16 bits, 16 columns at a time"
        );
        COLS / 16
    };
}

#[gpu_impl]
impl<D: Num, const C: usize> Accumulator<D, C> {
    /// Makes sums that are zero.
    pub fn zero() -> Self {
        Accumulator { registers: [[D::ZERO; 4]; C] }
    }

    /// Starts to add `a * bᵀ`, for 128 bytes of each row: the 64 rows of `a` from `row` on, a multiple of 8, by the `8 * C`
    /// rows of `b`.
    ///
    /// Without `keep` the sums begin anew. Until [`finish`](Self::finish) the sums and the tiles belong to the tensor
    /// cores; further products may start before.
    pub fn start_abt<
        T: WgmmaElement<Sum = D>,
        const A: usize,
        const B: usize,
        const COLS: usize,
        const GROUP: usize,
    >(
        &mut self,
        a: Tile<T, A, COLS, Swizzle<128, GROUP>>,
        row: usize,
        b: Tile<T, B, COLS, Swizzle<128, GROUP>>,
        keep: bool,
    ) {
        debug_assert!(row % 8 == 0 && row + 64 <= A && 8 * C <= B, "an operand is outside the tile");
        let left = matrix_descriptor(
            unsafe { &*a.at(row, 0) },
            16,
            Tile::<T, A, COLS, Swizzle<128, GROUP>>::PIECE,
            1,
        );
        let right =
            matrix_descriptor(unsafe { &*b.at(0, 0) }, 16, Tile::<T, B, COLS, Swizzle<128, GROUP>>::PIECE, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..4u64 {
            wgmma::<T, C, false, false>(&mut self.registers, left + 2 * k, right + 2 * k, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Waits for all products that were started.
    pub fn finish(&mut self) {
        wgmma_wait::<0>();
    }

    /// Adds `a * bᵀ`, and waits: [`start_abt`](Self::start_abt), then [`finish`](Self::finish).
    pub fn mma_abt<
        T: WgmmaElement<Sum = D>,
        const A: usize,
        const B: usize,
        const COLS: usize,
        const GROUP: usize,
    >(
        &mut self,
        a: Tile<T, A, COLS, Swizzle<128, GROUP>>,
        row: usize,
        b: Tile<T, B, COLS, Swizzle<128, GROUP>>,
        keep: bool,
    ) {
        self.start_abt(a, row, b, keep);
        self.finish();
    }

    /// Calls `visit(row, col, sum)` with each sum that the calling thread has.
    pub fn for_each<F: FnMut(usize, usize, D)>(&self, mut visit: F) {
        let thread = thread_rank() as usize % 128;
        let (row, col) = (thread / 32 * 16 + thread % 32 / 4, thread % 4 * 2);
        #[unroll]
        for j in 0..C {
            #[unroll]
            for e in 0..4usize {
                visit(row + e / 2 * 8, col + j * 8 + e % 2, self.registers[j][e]);
            }
        }
    }

    /// Replaces each sum by `change(row, col, sum)`.
    pub fn map<F: Fn(usize, usize, D) -> D>(&mut self, change: F) {
        let thread = thread_rank() as usize % 128;
        let (row, col) = (thread / 32 * 16 + thread % 32 / 4, thread % 4 * 2);
        #[unroll]
        for j in 0..C {
            #[unroll]
            for e in 0..4usize {
                self.registers[j][e] = change(row + e / 2 * 8, col + j * 8 + e % 2, self.registers[j][e]);
            }
        }
    }

    /// Stores `convert(sum)` of the sums of `COLS` columns, from `first` on, to a tile of 64 rows, by `ptx::stmatrix_x4`.
    ///
    /// `COLS` and `first` are multiples of 16, and converted sums have 16 bits.
    pub fn store_tile<O: AnyBits, const COLS: usize, L: Layout, F: Fn(D) -> O>(
        &self,
        tile: Tile<O, 64, COLS, L>,
        first: usize,
        convert: F,
    ) {
        let thread = thread_rank() as usize % 128;
        let (row, col) = (thread / 32 * 16 + thread % 16, thread % 32 / 16 * 8);
        #[unroll]
        for h in 0..Tile::<O, 64, COLS, L>::SQUARES {
            let (left, right) = (self.registers[first / 8 + 2 * h], self.registers[first / 8 + 2 * h + 1]);
            let halves = [
                pair(convert(left[0]), convert(left[1])),
                pair(convert(left[2]), convert(left[3])),
                pair(convert(right[0]), convert(right[1])),
                pair(convert(right[2]), convert(right[3])),
            ];
            stmatrix_x4(unsafe { &mut *tile.at(row, col + h * 16) }, halves);
        }
    }

    /// Stores `convert(sum)` of each sum to `y`, from (`row`, `col`) on. It leaves out elements outside `y`.
    pub fn store<O: AnyBits, F: Fn(D) -> O>(&self, y: ViewMut2<O>, row: usize, col: usize, convert: F) {
        let thread = thread_rank() as usize % 128;
        let (row, col) = (row + thread / 32 * 16 + thread % 32 / 4, col + thread % 4 * 2);
        #[unroll]
        for j in 0..C {
            #[unroll]
            for e in 0..4usize {
                let (r, c) = (row + e / 2 * 8, col + j * 8 + e % 2);
                if r < y.rows() && c < y.cols() {
                    let to = y.address(r as isize, c as isize);
                    unsafe { *to = convert(self.registers[j][e]) }
                }
            }
        }
    }
}

/// Two elements of 16 bits in a register, the first in its low half.
#[gpu_fn]
fn pair<O: AnyBits>(low: O, high: O) -> u32 {
    let halves = [low, high];
    let word = halves.as_ptr() as *const u32;
    unsafe { *word }
}
