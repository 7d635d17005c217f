//! Operands of products in the registers of a warp, loaded from tiles of shared memory.

use core::marker::PhantomData;
use core::mem::size_of;

use warpsmith_macros::{GpuType, gpu_impl};

use super::{HalfElement, TensorElement, WarpAccumulator};
use crate::device_api::index::lane_id;
use crate::device_api::ldmatrix::{ldmatrix_x4, ldmatrix_x4_trans};
use crate::tile::{Layout, Tile};

/// `16 * R` rows of 32 bytes in the registers of a warp: the left operand of a product.
///
/// 32 bytes are 16 elements of `f16`, 8 of `f32` or 32 of `i8`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct OperandA<T, const R: usize> {
    pub(super) registers: [[u32; 4]; R],
    element: PhantomData<T>,
}

/// `8 * C` columns of 32 bytes in the registers of a warp: the right operand of a product. `C` is even.
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// use warpsmith::tensor::Swizzle64;
///
/// #[gpu_kernel]
/// fn odd() {
///     let tile = shared!(Tile<f16, 32, 32, Swizzle64>);
///     let b = tile.operand_bt::<3>(0, 0);
/// }
/// odd().grid(1).block(32).launch(&Device::simulator()).unwrap();
/// ```
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct OperandB<T, const C: usize> {
    pub(super) registers: [[u32; 2]; C],
    element: PhantomData<T>,
}

impl<T, const C: usize> OperandB<T, C> {
    /// Columns of eight elements that one instruction loads.
    const PAIR: usize = {
        assert!(C % 2 == 0, "`OperandB<T, C>` has 8 * C columns, which are loaded by 16: C is even");
        2
    };
}

#[gpu_impl]
impl<const R: usize, const C: usize> WarpAccumulator<f32, R, C> {
    /// The 16 columns from `col` on, rounded to `T`, as the left operand of another product. Each sum stays in its lane.
    ///
    /// `col` is a multiple of 16.
    #[track_caller]
    pub fn to_operand<T: HalfElement>(&self, col: usize) -> OperandA<T, R> {
        debug_assert!(col % 16 == 0 && col + 16 <= 8 * C, "an operand is outside the sums");
        let mut registers = [[0u32; 4]; R];
        #[unroll]
        for i in 0..R {
            let (left, right) = (self.registers[i][col / 8], self.registers[i][col / 8 + 1]);
            registers[i] = [
                T::pair(left[0], left[1]),
                T::pair(left[2], left[3]),
                T::pair(right[0], right[1]),
                T::pair(right[2], right[3]),
            ];
        }
        OperandA { registers, element: PhantomData }
    }
}

impl<T, const ROWS: usize, const COLS: usize, L: Layout> Tile<'_, T, ROWS, COLS, L> {
    /// Elements of a row of a matrix, which lie together.
    const UNIT: usize = {
        let size = size_of::<T>();
        assert!(
            L::GROUP * size % 16 == 0 && L::PAD * size % 16 == 0 && COLS * size % 16 == 0,
            "operands are loaded 16 bytes at a time: the layout of the tile must keep 16 bytes together, as `Swizzle64<N>` does \
             where N elements are 16 bytes"
        );
        16 / size
    };
    /// The same, where rows and columns change places.
    const TURNED: usize = {
        assert!(
            size_of::<T>() == 2,
            "only elements of 16 bits are transposed while they are loaded; store the tile with columns as its rows, and use \
             `operand_bt`"
        );
        Self::UNIT
    };
}

#[gpu_impl]
impl<'a, T: TensorElement, const ROWS: usize, const COLS: usize, L: Layout> Tile<'a, T, ROWS, COLS, L> {
    /// Rows from `row` on, 32 bytes of each from column `k` on; all lanes of the warp together.
    #[track_caller]
    pub fn operand_a<const R: usize>(self, row: usize, k: usize) -> OperandA<T, R> {
        debug_assert!(row + 16 * R <= ROWS && k + 2 * Self::UNIT <= COLS, "an operand is outside the tile");
        let lane = lane_id() as usize;
        let (r, c) = (row + lane % 16, k + lane / 16 * Self::UNIT);
        let mut registers = [[0u32; 4]; R];
        #[unroll]
        for i in 0..R {
            registers[i] = ldmatrix_x4(unsafe { &*self.at(r + i * 16, c) });
        }
        OperandA { registers, element: PhantomData }
    }

    /// Rows of the operand from `row` on, which are columns of the tile, 16 elements of each from row `k` of the tile on,
    /// transposed while they are loaded; all lanes of the warp together. Elements have 16 bits.
    #[track_caller]
    pub fn operand_at<const R: usize>(self, row: usize, k: usize) -> OperandA<T, R> {
        debug_assert!(k + 16 <= ROWS && row + 16 * R <= COLS, "an operand is outside the tile");
        let lane = lane_id() as usize;
        let (r, c) = (k + lane / 16 * 8 + lane % 8, row + lane / 8 % 2 * Self::TURNED);
        let mut registers = [[0u32; 4]; R];
        #[unroll]
        for i in 0..R {
            registers[i] = ldmatrix_x4_trans(unsafe { &*self.at(r, c + i * 16) });
        }
        OperandA { registers, element: PhantomData }
    }

    /// Columns of the operand from `col` on, which are rows of the tile, 32 bytes of each from column `k` of the tile on; all
    /// lanes of the warp together.
    #[track_caller]
    pub fn operand_bt<const C: usize>(self, col: usize, k: usize) -> OperandB<T, C> {
        debug_assert!(col + 8 * C <= ROWS && k + 2 * Self::UNIT <= COLS, "an operand is outside the tile");
        let lane = lane_id() as usize;
        let (r, c) = (col + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * Self::UNIT);
        let mut registers = [[0u32; 2]; C];
        #[unroll]
        for i in 0..C / OperandB::<T, C>::PAIR {
            let four = ldmatrix_x4(unsafe { &*self.at(r + i * 16, c) });
            registers[2 * i] = [four[0], four[1]];
            registers[2 * i + 1] = [four[2], four[3]];
        }
        OperandB { registers, element: PhantomData }
    }

    /// Columns from `col` on, 16 elements of each from row `k` on, transposed while they are loaded; all lanes of the warp
    /// together. Elements have 16 bits.
    #[track_caller]
    pub fn operand_b<const C: usize>(self, k: usize, col: usize) -> OperandB<T, C> {
        debug_assert!(k + 16 <= ROWS && col + 8 * C <= COLS, "an operand is outside the tile");
        let lane = lane_id() as usize;
        let (r, c) = (k + lane % 16, col + lane / 16 * Self::TURNED);
        let mut registers = [[0u32; 2]; C];
        #[unroll]
        for i in 0..C / OperandB::<T, C>::PAIR {
            let four = ldmatrix_x4_trans(unsafe { &*self.at(r, c + i * 16) });
            registers[2 * i] = [four[0], four[1]];
            registers[2 * i + 1] = [four[2], four[3]];
        }
        OperandB { registers, element: PhantomData }
    }
}
