//! Products by the warps of a block, which load operands from shared memory to registers: compute capability 8.0 and later.

use warpsmith::prelude::*;
use warpsmith::tensor::{OperandA, OperandB, Swizzle64, TensorElement, WarpAccumulator};
use warpsmith::tile::{Padded, Tile};

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};

/// Rows and columns of `c` that a block computes: four warps, 64 × 64 each.
pub const TILE: usize = 128;
/// Threads of a block.
pub const THREADS: u32 = 128;
/// Columns of `a` and rows of `b` in a stage.
const DEPTH: usize = 32;
/// Stages of each operand's ring.
const STAGES: usize = 3;
/// Unused elements between rows of a stage: eight rows of 16 bytes lie in different banks.
const PAD: usize = 8;
/// Elements of a stage of one operand, in the order that takes more.
pub const STAGE: usize = DEPTH * (TILE + PAD);
/// Elements of the rings of both operands.
pub const RINGS: usize = 2 * STAGES * STAGE;

/// A stage whose rows are lines of the operand: rows of `a`, or columns of `b`.
type Lines<'a, T> = Tile<'a, T, TILE, DEPTH, Swizzle64>;
/// A stage whose columns are lines.
type Beside<'a, T> = Tile<'a, T, DEPTH, TILE, Padded<PAD>>;

/// Starts the load of a stage: `DEPTH` elements from `k` on of the lines from `line` on.
#[gpu_fn]
fn load<T: TensorElement + Num, const BESIDE: bool>(stage: &mut [T], x: View2<T>, line: usize, k: usize) {
    if BESIDE {
        Beside::new(&mut stage[..STAGE]).load_async(x, k, line, T::ZERO);
    } else {
        Lines::new(&mut stage[..TILE * DEPTH]).load_async(x, line, k, T::ZERO);
    }
}

#[gpu_fn]
fn left<T: TensorElement + Num, const BESIDE: bool>(stage: &mut [T], row: usize, k: usize) -> OperandA<T, 4> {
    if BESIDE {
        Beside::new(&mut stage[..STAGE]).operand_at::<4>(row, k)
    } else {
        Lines::new(&mut stage[..TILE * DEPTH]).operand_a::<4>(row, k)
    }
}

#[gpu_fn]
fn right<T: TensorElement + Num, const BESIDE: bool>(
    stage: &mut [T],
    col: usize,
    k: usize,
) -> OperandB<T, 8> {
    if BESIDE {
        Beside::new(&mut stage[..STAGE]).operand_b::<8>(k, col)
    } else {
        Lines::new(&mut stage[..TILE * DEPTH]).operand_bt::<8>(col, k)
    }
}

/// `c = a * b`, finished as `how` says, of any size.
///
/// `a`: `[m, k]`, its rows `a_stride` apart, or its columns if `A_BESIDE`; `b`: `[k, n]`, its columns `b_stride` apart, or its rows if
/// `B_BESIDE`. The grid has a block for each tile of each product. Copies of the next two stages run beside the products of one.
#[gpu_kernel(launch_bounds(THREADS, 2), noalias)]
pub fn gemm_warps<
    T: TensorElement<Sum = f32> + Num,
    E: Epilogue,
    const A_BESIDE: bool,
    const B_BESIDE: bool,
>(
    a: &[T],
    b: &[T],
    c: &mut [T],
    bias: &[T],
    residual: &[T],
    shape: Shape,
    how: Finish,
    epilogue: E,
) {
    let mut rings = shared!([T; RINGS], align = 512);
    let (rows, cols) = rings.split_at_mut(STAGES * STAGE);
    let Place { product, row, col } =
        place_of(block_idx().x, tiles_of(shape.m, shape.n, [TILE; 2]), [TILE; 2]);
    let (from_a, from_b) = (product * shape.batch[0], product * shape.batch[1]);
    let (a_rows, a_cols) = if A_BESIDE { (shape.k, shape.m) } else { (shape.m, shape.k) };
    let (b_rows, b_cols) = if B_BESIDE { (shape.k, shape.n) } else { (shape.n, shape.k) };
    let a = unsafe { View2::from_raw_parts(a.as_ptr().wrapping_add(from_a), a_rows, a_cols, shape.a_stride) };
    let b = unsafe { View2::from_raw_parts(b.as_ptr().wrapping_add(from_b), b_rows, b_cols, shape.b_stride) };
    let to = c.as_mut_ptr().wrapping_add(product * shape.batch[2]);
    let c = unsafe { ViewMut2::from_raw_parts(to, shape.m, shape.n, how.c_stride) };
    let steps = shape.k.div_ceil(DEPTH);

    for s in 0..STAGES - 1 {
        if s < steps {
            load::<T, A_BESIDE>(&mut rows[s * STAGE..], a, row, s * DEPTH);
            load::<T, B_BESIDE>(&mut cols[s * STAGE..], b, col, s * DEPTH);
        }
        copy_async_commit();
    }
    let (warp_row, warp_col) = (warp_id() as usize / 2 * 64, warp_id() as usize % 2 * 64);
    let mut sums = WarpAccumulator::<f32, 4, 8>::zero();
    for s in 0..steps {
        copy_async_wait::<1>();
        // All have what this step reads, and have read what the next copies overwrite.
        sync_threads();
        let next = s + STAGES - 1;
        if next < steps {
            load::<T, A_BESIDE>(&mut rows[next % STAGES * STAGE..], a, row, next * DEPTH);
            load::<T, B_BESIDE>(&mut cols[next % STAGES * STAGE..], b, col, next * DEPTH);
        }
        copy_async_commit();
        let here = s % STAGES * STAGE;
        #[unroll]
        for k in 0..DEPTH / 16 {
            let of_a = left::<T, A_BESIDE>(&mut rows[here..], warp_row, k * 16);
            sums.mma(&of_a, &right::<T, B_BESIDE>(&mut cols[here..], warp_col, k * 16));
        }
    }

    let (row, col) = (row + warp_row, col + warp_col);
    let finisher = Finisher::new(how, bias, residual, epilogue, product);
    sums.map(|r, c, sum| finisher.in_place(sum, row + r, col + c, to, shape.m, shape.n));
    sums.store(c, row, col, |x| x.cast::<T>());
}
