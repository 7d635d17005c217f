//! Products of matrices by the tensor cores.

use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle64, TensorElement, WarpAccumulator};

/// Rows and columns of the product that a block computes: four warps, 64 × 64 each.
pub const TILE: usize = 128;
/// Columns of `a` and `b` that a stage holds.
pub const DEPTH: usize = 32;
/// Threads of a block.
pub const THREADS: u32 = 128;

/// `c = a * bᵀ`, summed in `f32`; `a`: row-major `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// The grid is `[n / TILE, m / TILE]`, rounded up. Copies of the next two stages run beside the products of one.
#[gpu_kernel(launch_bounds(128, 2))]
pub fn gemm_sm80<T: TensorElement<Sum = f32> + Num>(a: View2<T>, b: View2<T>, c: ViewMut2<T>) {
    let rows = shared!(Stages<T, TILE, DEPTH, 3, Swizzle64>);
    let cols = shared!(Stages<T, TILE, DEPTH, 3, Swizzle64>);
    let (row, col) = (block_idx().y as usize * TILE, block_idx().x as usize * TILE);
    let (warp_row, warp_col) = (warp_id() as usize / 2 * 64, warp_id() as usize % 2 * 64);
    let steps = a.cols().div_ceil(DEPTH);

    for s in 0..2usize {
        rows.tile(s).load_async(a, row, s * DEPTH, T::ZERO);
        cols.tile(s).load_async(b, col, s * DEPTH, T::ZERO);
        copy_async_commit();
    }
    let mut sums = WarpAccumulator::<f32, 4, 8>::zero();
    for s in 0..steps {
        copy_async_wait::<1>();
        // All have what this step reads, and have read what the next copies overwrite.
        sync_threads();
        if s + 2 < steps {
            rows.tile(s + 2).load_async(a, row, (s + 2) * DEPTH, T::ZERO);
            cols.tile(s + 2).load_async(b, col, (s + 2) * DEPTH, T::ZERO);
        }
        copy_async_commit();
        let (of_a, of_b) = (rows.tile(s), cols.tile(s));
        #[unroll]
        for k in 0..DEPTH / 16 {
            sums.mma(&of_a.operand_a::<4>(warp_row, k * 16), &of_b.operand_bt::<8>(warp_col, k * 16));
        }
    }
    sums.store(c, row + warp_row, col + warp_col, |sum| sum.cast::<T>());
}
