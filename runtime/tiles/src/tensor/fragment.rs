//! Operations on the sums of a product, the same for a warp and a warpgroup.

use core::mem::size_of;

use warpsmith_macros::{gpu_fn, gpu_impl, gpu_trait};

use super::{Accumulator, WarpAccumulator, across_rows};
use crate::device_api::index::{lane_id, thread_rank};
use crate::device_api::ldmatrix::stmatrix_x4;
use crate::device_api::number::Num;
use crate::tile::{Layout, Tile};
use crate::types::vector::U32x2;
use crate::types::{AnyBits, DeviceType, ViewMut2};

/// A matrix in the registers of a warp or a warpgroup: a [`WarpAccumulator`] or an [`Accumulator`].
///
/// An epilogue is written once for both, as a function of `F: Fragment<Element = f32>`. Rows and columns count within the fragment.
/// All threads that share it make each call together.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::tensor::{Fragment, Swizzle64, WarpAccumulator};
///
/// /// Stores what exceeds the largest sum of each row less 10.
/// #[gpu_fn]
/// fn epilogue<F: Fragment<Element = f32>>(sums: &mut F, c: ViewMut2<f32>) {
///     let most = sums.reduce_rows(f32::NEG_INFINITY, |a, b| a.max(b));
///     sums.map_rows(most, |sum, most| (sum - most + 10.0).max(0.0));
///     sums.store(c, 0, 0, |sum| sum);
/// }
///
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
///     epilogue(&mut sums, c);
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let numbers = |by: usize| -> Vec<f16> { (0..16 * 32).map(|i| f16::from_f32((i * by % 7) as f32)).collect() };
/// # let (a, b) = (gpu.upload(&numbers(3))?, gpu.upload(&numbers(5))?);
/// # let mut c = gpu.upload(&[f32::NAN; 256])?;
/// # multiply(a.view2(16, 32).unwrap(), b.view2(16, 32).unwrap(), c.view2_mut(16, 16).unwrap()).grid(1).block(32).launch(&gpu)?;
/// # let got = gpu.download(&c)?;
/// # for row in got.chunks(16) { assert_eq!(row.iter().copied().fold(0.0, f32::max), 10.0); }
/// # Ok(()) }
/// ```
#[gpu_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matrix in registers",
    label = "no sums of tensor cores",
    note = "sums are a `WarpAccumulator` of a warp, or an `Accumulator` of a warpgroup"
)]
pub trait Fragment: DeviceType {
    /// The type of an element.
    type Element: Num;
    /// One element for each row of which the calling thread has a part.
    type OwnRows: DeviceType + Copy;

    /// The number of rows.
    const ROWS: usize;
    /// The number of columns, a multiple of 8.
    const COLS: usize;
    /// The number of elements of each thread.
    const COUNT: usize;

    /// The first row of the calling thread's warp, and the thread's lane.
    fn place() -> (usize, usize);

    /// Element `i` of the calling thread. `i` is a constant, for example the counter of an unrolled loop.
    fn get(&self, i: usize) -> Self::Element;

    /// Replaces element `i` of the calling thread.
    fn set(&mut self, i: usize, element: Self::Element);

    /// Reduces the elements of each row, beginning with `start`. All threads of a row get the same result.
    fn reduce_rows<F: Fn(Self::Element, Self::Element) -> Self::Element + Copy>(
        &self,
        start: Self::Element,
        join: F,
    ) -> Self::OwnRows;

    /// Replaces each element by `change(element, x)`, where `x` is the value of `of_rows` for its row.
    fn map_rows<F: Fn(Self::Element, Self::Element) -> Self::Element>(
        &mut self,
        of_rows: Self::OwnRows,
        change: F,
    );

    /// Rows and columns from the first element of a thread to its element `i`.
    ///
    /// Four elements belong to two adjacent columns, in a row and in the row eight below; the next four are eight columns further.
    /// Source: PTX ISA, fragments of `mma.m16n8k16` and `wgmma.m64nNk16`.
    fn offset(i: usize) -> (usize, usize) {
        (i / (Self::COLS / 2) * 16 + i / 2 % 2 * 8, i / 4 % (Self::COLS / 8) * 8 + i % 2)
    }

    /// Row and column of element `i` of the calling thread.
    fn at(i: usize) -> (usize, usize) {
        let ((first, lane), (down, right)) = (Self::place(), Self::offset(i));
        (first + lane / 4 + down, lane % 4 * 2 + right)
    }

    /// Calls `visit(row, col, element)` with each element of the calling thread.
    fn for_each<F: FnMut(usize, usize, Self::Element)>(&self, mut visit: F) {
        let (row, col) = Self::at(0);
        #[unroll]
        for i in 0..Self::COUNT {
            let (down, right) = Self::offset(i);
            visit(row + down, col + right, self.get(i));
        }
    }

    /// Replaces each element by `change(row, col, element)`.
    fn map<F: Fn(usize, usize, Self::Element) -> Self::Element>(&mut self, change: F) {
        let (row, col) = Self::at(0);
        #[unroll]
        for i in 0..Self::COUNT {
            let (down, right) = Self::offset(i);
            self.set(i, change(row + down, col + right, self.get(i)));
        }
    }

    /// Stores `convert(element)` of the `COLS` columns from `first` on to a tile with the fragment's rows, by `ptx::stmatrix_x4`.
    ///
    /// `COLS` and `first` are multiples of 16, and converted elements have 16 bits. Compute capability 9.0.
    #[track_caller]
    fn store_tile<O: AnyBits, const ROWS: usize, const COLS: usize, L: Layout, F: Fn(Self::Element) -> O>(
        &self,
        tile: Tile<O, ROWS, COLS, L>,
        first: usize,
        convert: F,
    ) {
        debug_assert!(ROWS == Self::ROWS, "a tile has other rows than the sums that are stored to it");
        let (top, lane) = Self::place();
        let (row, col) = (top + lane % 16, lane / 16 * 8);
        #[unroll]
        for block in 0..Self::COUNT / (Self::COLS / 2) {
            #[unroll]
            for h in 0..Tile::<O, ROWS, COLS, L>::SQUARES {
                let i = block * (Self::COLS / 2) + first / 2 + 8 * h;
                let halves = [
                    pair(convert(self.get(i)), convert(self.get(i + 1))),
                    pair(convert(self.get(i + 2)), convert(self.get(i + 3))),
                    pair(convert(self.get(i + 4)), convert(self.get(i + 5))),
                    pair(convert(self.get(i + 6)), convert(self.get(i + 7))),
                ];
                stmatrix_x4(unsafe { &mut *tile.at(row + block * 16, col + h * 16) }, halves);
            }
        }
    }

    /// Stores `convert(element)` of each element to `y`, from (`row`, `col`) on. It leaves out elements outside `y`.
    ///
    /// If the addresses allow it, it stores two elements of 16 or 32 bits at once.
    fn store<O: AnyBits, F: Fn(Self::Element) -> O>(
        &self,
        y: ViewMut2<O>,
        row: usize,
        col: usize,
        convert: F,
    ) {
        let (own_row, own_col) = Self::at(0);
        let (row, col) = (row + own_row, col + own_col);
        let first = y.address(row as isize, col as isize) as usize;
        let in_pairs = size_of::<O>() <= 4 && first % (2 * size_of::<O>()) == 0 && y.stride() % 2 == 0;
        #[unroll]
        for i in 0..Self::COUNT / 2 {
            let (down, right) = Self::offset(2 * i);
            let (r, c) = (row + down, col + right);
            let to = y.address(r as isize, c as isize);
            let (a, b) = (self.get(2 * i), self.get(2 * i + 1));
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

#[gpu_impl]
impl<D: Num, const R: usize, const C: usize> Fragment for WarpAccumulator<D, R, C> {
    type Element = D;
    type OwnRows = [[D; 2]; R];
    const ROWS: usize = 16 * R;
    const COLS: usize = 8 * C;
    const COUNT: usize = 4 * R * C;

    fn place() -> (usize, usize) {
        (0, lane_id() as usize)
    }

    fn get(&self, i: usize) -> D {
        self.registers[i / (4 * C)][i / 4 % C][i % 4]
    }

    fn set(&mut self, i: usize, element: D) {
        self.registers[i / (4 * C)][i / 4 % C][i % 4] = element;
    }

    fn reduce_rows<F: Fn(D, D) -> D + Copy>(&self, start: D, join: F) -> [[D; 2]; R] {
        let mut rows = [[start; 2]; R];
        #[unroll]
        for block in 0..R {
            #[unroll]
            for i in 0..4 * C {
                rows[block][i / 2 % 2] = join(rows[block][i / 2 % 2], self.registers[block][i / 4][i % 4]);
            }
            rows[block] = across_rows(rows[block], join);
        }
        rows
    }

    fn map_rows<F: Fn(D, D) -> D>(&mut self, of_rows: [[D; 2]; R], change: F) {
        #[unroll]
        for i in 0..4 * R * C {
            self.set(i, change(self.get(i), of_rows[i / (4 * C)][i / 2 % 2]));
        }
    }
}

#[gpu_impl]
impl<D: Num, const N: usize> Fragment for Accumulator<D, N> {
    type Element = D;
    type OwnRows = [D; 2];
    const ROWS: usize = 64;
    const COLS: usize = N;
    const COUNT: usize = N / 2;

    fn place() -> (usize, usize) {
        let thread = thread_rank() as usize % 128;
        (thread / 32 * 16, thread % 32)
    }

    fn get(&self, i: usize) -> D {
        self.registers[i / 4][i % 4]
    }

    fn set(&mut self, i: usize, element: D) {
        self.registers[i / 4][i % 4] = element;
    }

    fn reduce_rows<F: Fn(D, D) -> D + Copy>(&self, start: D, join: F) -> [D; 2] {
        across_rows(self.fold_rows([start; 2], join), join)
    }

    fn map_rows<F: Fn(D, D) -> D>(&mut self, of_rows: [D; 2], change: F) {
        Accumulator::map_rows(self, of_rows, change);
    }
}

impl<T, const ROWS: usize, const COLS: usize, L> Tile<'_, T, ROWS, COLS, L> {
    /// Squares of 16 × 16 elements side by side.
    const SQUARES: usize = {
        assert!(
            size_of::<T>() == 2 && COLS % 16 == 0 && ROWS % 16 == 0,
            "sums are stored to tiles as elements of 16 bits, 16 rows and columns at a time"
        );
        COLS / 16
    };
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

/// Two 16-bit elements in a register, the first in its low half.
#[gpu_fn]
fn pair<O: AnyBits>(low: O, high: O) -> u32 {
    let halves = [low, high];
    let word = halves.as_ptr() as *const u32;
    unsafe { *word }
}
