//! Products by the warps of a block, which load operands from shared memory to registers: compute capability 8.0 and later.

use std::marker::PhantomData;

use warpsmith::prelude::*;
use warpsmith::tensor::{Fragment, OperandA, OperandB, Swizzle64, WarpAccumulator};
use warpsmith::tile::{Padded, Tile};

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::scales::{Factors, ScaleStrides};
use super::super::shape::{Place, Shape, place_of, tiles_of};
use super::element::{Multiplied, Stored, Total};
use super::target::Target;

/// Rows and columns of `c` that a block computes: four warps, 64 × 64 each.
pub const TILE: usize = 128;
/// Threads of a block.
pub const THREADS: u32 = 128;
/// Stages of each operand's ring.
const STAGES: usize = 3;
/// Unused elements between rows of a stage whose columns are lines: eight rows of 16 bytes lie in different banks.
const PAD: usize = 8;
/// Rows of such a stage.
const ROWS: usize = 32;
/// Bytes of a line that a stage holds.
const DEPTH_BYTES: usize = 64;

/// Elements of the rings of both operands, of `size` bytes each, in the order that takes more.
pub const fn rings(size: usize) -> usize {
    2 * STAGES * if size == 2 { ROWS * (TILE + PAD) } else { TILE * DEPTH_BYTES / size }
}

/// The order of an operand's elements, in memory and in a stage. A line is a row of `a`, or a column of `b`.
#[gpu_trait]
pub trait Side: 'static {
    /// The elements.
    type Element: Multiplied;

    /// Whether lines lie side by side, and not the elements of a line.
    const BESIDE: bool;

    /// Starts the load of a stage: its elements from `k` on of the lines from `line` on.
    fn load(stage: &mut [Self::Element], x: View2<Self::Element>, line: usize, k: usize);

    /// Rows of the left operand from `row` on, 32 bytes of each from `k` on.
    fn left(stage: &mut [Self::Element], row: usize, k: usize) -> OperandA<Self::Element, 4>;

    /// Columns of the right operand from `col` on, 32 bytes of each from `k` on.
    fn right(stage: &mut [Self::Element], col: usize, k: usize) -> OperandB<Self::Element, 8>;
}

/// `DEPTH` elements of a line lie side by side; `UNIT` elements are 16 bytes.
pub struct Along<T, const DEPTH: usize, const UNIT: usize>(PhantomData<T>);

/// Lines lie side by side; elements have 16 bits.
pub struct Across<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Multiplied, const DEPTH: usize, const UNIT: usize> Side for Along<T, DEPTH, UNIT> {
    type Element = T;
    const BESIDE: bool = false;

    fn load(stage: &mut [T], x: View2<T>, line: usize, k: usize) {
        let stage = Tile::<T, TILE, DEPTH, Swizzle64<UNIT>>::new(&mut stage[..TILE * DEPTH]);
        stage.load_async(x, line, k, T::zero());
    }

    fn left(stage: &mut [T], row: usize, k: usize) -> OperandA<T, 4> {
        Tile::<T, TILE, DEPTH, Swizzle64<UNIT>>::new(&mut stage[..TILE * DEPTH]).operand_a::<4>(row, k)
    }

    fn right(stage: &mut [T], col: usize, k: usize) -> OperandB<T, 8> {
        Tile::<T, TILE, DEPTH, Swizzle64<UNIT>>::new(&mut stage[..TILE * DEPTH]).operand_bt::<8>(col, k)
    }
}

#[gpu_impl]
impl<T: Multiplied> Side for Across<T> {
    type Element = T;
    const BESIDE: bool = true;

    fn load(stage: &mut [T], x: View2<T>, line: usize, k: usize) {
        let stage = Tile::<T, ROWS, TILE, Padded<PAD>>::new(&mut stage[..ROWS * (TILE + PAD)]);
        stage.load_async(x, k, line, T::zero());
    }

    fn left(stage: &mut [T], row: usize, k: usize) -> OperandA<T, 4> {
        Tile::<T, ROWS, TILE, Padded<PAD>>::new(&mut stage[..ROWS * (TILE + PAD)]).operand_at::<4>(row, k)
    }

    fn right(stage: &mut [T], col: usize, k: usize) -> OperandB<T, 8> {
        Tile::<T, ROWS, TILE, Padded<PAD>>::new(&mut stage[..ROWS * (TILE + PAD)]).operand_b::<8>(k, col)
    }
}

/// A matrix, from element `from` of `x` on, with its lines as rows, or as columns where they lie side by side.
#[gpu_fn]
pub(super) fn lines_of<'a, T: Multiplied, O: Side<Element = T>>(
    x: &'a [T],
    from: usize,
    [lines, k]: [usize; 2],
    stride: usize,
) -> View2<'a, T> {
    let (rows, cols) = if O::BESIDE { (k, lines) } else { (lines, k) };
    unsafe { View2::from_raw_parts(x.as_ptr().wrapping_add(from), rows, cols, stride) }
}

/// The first row and column of a warp in its block's tile.
#[gpu_fn]
pub(super) fn place_of_warp() -> (usize, usize) {
    (warp_id() as usize / 2 * 64, warp_id() as usize % 2 * 64)
}

/// Adds the products of a tile's lines, those from `row` of `a` and from `col` of `b` on, to the sums of the block's warps. Copies of the
/// next two stages run beside the products of one.
#[gpu_fn]
pub(super) fn multiply<
    T: Multiplied,
    A: Side<Element = T>,
    B: Side<Element = T>,
    const DEPTH: usize,
    const RINGS: usize,
>(
    rings: &mut [T],
    a: View2<T>,
    b: View2<T>,
    [row, col]: [usize; 2],
    k: usize,
    sums: &mut WarpAccumulator<T::Total, 4, 8>,
) {
    assume(rings.len() == RINGS);
    let stage = RINGS / (2 * STAGES);
    let (rows, cols) = rings.split_at_mut(RINGS / 2);
    let steps = k.div_ceil(DEPTH);
    for s in 0..STAGES - 1 {
        if s < steps {
            A::load(&mut rows[s * stage..], a, row, s * DEPTH);
            B::load(&mut cols[s * stage..], b, col, s * DEPTH);
        }
        copy_async_commit();
    }
    let (warp_row, warp_col) = place_of_warp();
    for s in 0..steps {
        copy_async_wait::<1>();
        // All have what this step reads, and have read what the next copies overwrite.
        sync_threads();
        let next = s + STAGES - 1;
        if next < steps {
            A::load(&mut rows[next % STAGES * stage..], a, row, next * DEPTH);
            B::load(&mut cols[next % STAGES * stage..], b, col, next * DEPTH);
        }
        copy_async_commit();
        let here = s % STAGES * stage;
        let unit = 32 / size_of::<T>();
        #[unroll]
        for k in 0..DEPTH / unit {
            let of_a = A::left(&mut rows[here..], warp_row, k * unit);
            sums.mma(&of_a, &B::right(&mut cols[here..], warp_col, k * unit));
        }
    }
}

/// `c = a * b`, finished as `how` says, of any size.
///
/// `a`: `[m, k]`, its rows `a_stride` apart, or its columns; `b`: `[k, n]`, its columns `b_stride` apart, or its rows. The grid has a
/// block for each tile of each product. `scaling` says which factors there are, `has_bias`, `has_residual` and `adds` what is added.
#[gpu_kernel(launch_bounds(THREADS, 2), noalias)]
pub fn gemm_warps<
    T: Multiplied,
    C: Stored,
    E: Epilogue,
    A: Side<Element = T>,
    B: Side<Element = T>,
    const DEPTH: usize,
    const RINGS: usize,
>(
    a: &[T],
    b: &[T],
    c: &mut [C],
    bias: &[C],
    residual: &[C],
    a_scales: &[f32],
    b_scales: &[f32],
    shape: Shape,
    how: Finish,
    strides: ScaleStrides,
    epilogue: E,
    #[comptime] scaling: u32,
    #[comptime] has_bias: bool,
    #[comptime] has_residual: bool,
    #[comptime] adds: bool,
) {
    let mut rings = shared!([T; RINGS], align = 512);
    let Place { product, row, col } =
        place_of(block_idx().x, tiles_of(shape.m, shape.n, [TILE; 2]), [TILE; 2]);
    let a = lines_of::<T, A>(a, product * shape.batch[0], [shape.m, shape.k], shape.a_stride);
    let b = lines_of::<T, B>(b, product * shape.batch[1], [shape.n, shape.k], shape.b_stride);
    let mut sums = WarpAccumulator::<T::Total, 4, 8>::zero();
    multiply::<T, A, B, DEPTH, RINGS>(&mut rings, a, b, [row, col], shape.k, &mut sums);
    let (warp_row, warp_col) = place_of_warp();
    let (row, col) = (row + warp_row, col + warp_col);
    let to = c.as_mut_ptr().wrapping_add(product * shape.batch[2]);
    let c = unsafe { ViewMut2::from_raw_parts(to, shape.m, shape.n, how.c_stride) };
    if C::IS_SUM {
        sums.store(c, row, col, |sum| sum.cast::<C>());
    } else {
        let factors = Factors::new(a_scales, b_scales, strides, shape.m, shape.n);
        let finisher =
            Finisher::new(how.knowing(has_bias, has_residual, adds), bias, residual, epilogue, product);
        let target = Target::new(finisher, factors, scaling, shape);
        sums.map(|r, c, sum| target.finished_in_place(sum, row + r, col + c, to));
        sums.store(c, row, col, |x| x.kept().cast::<C>());
    }
}
