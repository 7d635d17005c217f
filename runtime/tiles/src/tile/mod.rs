//! Tiles: rectangles of global memory that a block loads together into its shared memory.
//!
//! Written in the kernel language itself. The type of a tile has its extents and layout, so the widest legal access
//! is chosen when the kernel is specialized; elements beyond the matrix are filled.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

mod layout;
mod ring;
mod stages;

use core::marker::PhantomData;
use core::mem::size_of;
use core::ops::{Index, IndexMut};

use warpsmith_macros::{GpuType, gpu_fn, gpu_impl};

use crate::device_api::copy_async::copy_async;
use crate::device_api::index::{block_size, thread_rank};
use crate::device_api::number::Num;
use crate::types::vector::{U32x2, U32x4};
use crate::types::{AnyBits, InShared, View2, ViewMut2, check_index};

pub use layout::{
    Canonical, Layout, Padded, Panels, RowMajor, Swizzle, Swizzle32, Swizzle64, Swizzle128, Swizzled,
    Unswizzled,
};
pub use ring::{Filled, Filler, Free, Reader, RowRing};
pub use stages::Stages;

/// A tile of `ROWS` × `COLS` elements in the block's shared memory.
///
/// Declared by `shared!(Tile<T, ROWS, COLS>)` or `shared!(Tile<T, ROWS, COLS, Layout>)`. Threads load and store it
/// together; call [`sync_threads`](crate::prelude::sync_threads) between writes by some threads and reads by
/// others.
///
/// ```
/// # use warpsmith::prelude::*;
/// /// `out` is `x` with rows and columns exchanged, of any size.
/// #[gpu_kernel]
/// fn transpose(x: View2<f32>, out: ViewMut2<f32>) {
///     let mut tile = shared!(Tile<f32, 32, 32, Padded>);
///     let mut turned = shared!(Tile<f32, 32, 32, Padded>);
///     let (row, col) = (block_idx().y * 32, block_idx().x * 32);
///     tile.load(x, row, col, 0.0);
///     sync_threads();
///     for r in (thread_idx().y..32).step_by(block_dim().y as usize) {
///         let c = thread_idx().x;
///         turned[(r, c)] = tile[(c, r)];
///     }
///     sync_threads();
///     turned.store(out, col, row);
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let x = gpu.upload(&(0..50 * 70).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut out = gpu.upload(&vec![-1.0f32; 70 * 50])?;
/// # transpose(x.view2(50, 70).unwrap(), out.view2_mut(70, 50).unwrap()).grid([3, 2]).block([32, 8]).launch(&gpu)?;
/// # let turned = gpu.download(&out)?;
/// # for i in 0..50 { for j in 0..70 { assert_eq!(turned[j * 50 + i], (i * 70 + j) as f32); } }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tile<'a, T, const ROWS: usize, const COLS: usize, L = RowMajor> {
    elements: *mut T,
    memory: PhantomData<(&'a T, L)>,
}

/// Elements of the widest access, of up to 16 bytes, that rows of `cols` elements and gaps of `pad` allow.
pub(crate) const fn widest(size: usize, cols: usize, pad: usize, group: usize) -> usize {
    let mut bytes = 16;
    while bytes > size {
        let n = bytes / size;
        if bytes % size == 0 && cols % n == 0 && pad % n == 0 && group % n == 0 {
            return n;
        }
        bytes /= 2;
    }
    1
}

impl<T, const ROWS: usize, const COLS: usize, L: Layout> Tile<'_, T, ROWS, COLS, L> {
    /// Elements of the widest access.
    const WIDE: usize = widest(size_of::<T>(), COLS, L::PAD, L::GROUP);
    /// Bytes of the widest access.
    const BYTES: usize = Self::WIDE * size_of::<T>();
    /// Accesses in a row, and in the tile.
    const PER_ROW: usize = COLS / Self::WIDE;
    const ACCESSES: usize = ROWS * Self::PER_ROW;
}

impl<T: AnyBits, const ROWS: usize, const COLS: usize, L: Layout> InShared for Tile<'_, T, ROWS, COLS, L> {
    type Element = T;
    const LEN: usize = {
        let groups = COLS / L::GROUP;
        assert!(
            !L::WHOLE_ROW || COLS % L::GROUP == 0 && groups.is_power_of_two(),
            "a row of a `Swizzled<GROUP>` tile has a power of two of groups"
        );
        ROWS * (COLS + L::PAD)
    };
    const ALIGN: u32 = L::ALIGN;
}

impl<T, const ROWS: usize, const COLS: usize, L> Tile<'_, T, ROWS, COLS, L> {
    /// Bytes of its elements, which a copy of the copy engine moves.
    pub const SIZE: u32 = (ROWS * COLS * size_of::<T>()) as u32;
}

#[gpu_impl]
impl<'a, T: AnyBits, const ROWS: usize, const COLS: usize, L: Layout> Tile<'a, T, ROWS, COLS, L> {
    /// The tile in `memory`, which is shared, aligned to 16 bytes and of
    /// [`LEN`](InShared::LEN) elements.
    #[track_caller]
    pub fn new(memory: &'a mut [T]) -> Tile<'a, T, ROWS, COLS, L> {
        debug_assert!(memory.len() == Self::LEN, "the memory of a tile has another length");
        Tile { elements: memory.as_mut_ptr(), memory: PhantomData }
    }

    /// Loads the elements of `x` from (`row`, `col`) on; those outside `x` become `fill`.
    ///
    /// Every thread of the block takes part. Negative rows and columns are outside, like those past the end. If the
    /// addresses allow it, accesses have up to 16 bytes.
    pub fn load<R: Num, C: Num>(self, x: View2<T>, row: R, col: C, fill: T) {
        self.fill::<false>(x, row.cast::<isize>(), col.cast::<isize>(), fill);
    }

    /// The same, with copies that run while the threads do other work.
    ///
    /// They are complete after [`copy_async_wait`](crate::prelude::copy_async_wait) of their group and a
    /// [`sync_threads`](crate::prelude::sync_threads). Elements of one and two bytes that cannot be copied four
    /// bytes at a time are loaded as [`load`](Self::load) does.
    pub fn load_async<R: Num, C: Num>(self, x: View2<T>, row: R, col: C, fill: T) {
        self.fill::<true>(x, row.cast::<isize>(), col.cast::<isize>(), fill);
    }

    /// Stores the tile to `y` from (`row`, `col`) on, without the elements outside `y`.
    ///
    /// Every thread of the block takes part.
    pub fn store<R: Num, C: Num>(self, y: ViewMut2<T>, row: R, col: C) {
        let (row, col) = (row.cast::<isize>(), col.cast::<isize>());
        let inside = Self::inside(row, col, y.rows(), y.cols());
        let to = y.address(row, col);
        let wide = inside && to as usize % Self::BYTES == 0 && y.stride() % Self::WIDE == 0;
        if Self::WIDE > 1 && wide {
            for i in (thread_rank() as usize..Self::ACCESSES).step_by(block_size() as usize) {
                let (r, c) = (i / Self::PER_ROW, i % Self::PER_ROW * Self::WIDE);
                copy::<T, false>(to.wrapping_add(r * y.stride() + c), self.at(r, c), Self::BYTES);
            }
        } else {
            for i in (thread_rank() as usize..ROWS * COLS).step_by(block_size() as usize) {
                let (r, c) = (i / COLS, i % COLS);
                if outside(row, r, y.rows()) || outside(col, c, y.cols()) {
                    continue;
                }
                unsafe { *to.wrapping_add(r * y.stride() + c) = *self.at(r, c) }
            }
        }
    }

    /// The `N` rows from `first` on, as a tile of their own.
    ///
    /// `first` is a multiple of the rows after which the layout repeats: 8 for a [`Swizzle`] of rows of its span.
    #[track_caller]
    pub fn rows<const N: usize>(self, first: usize) -> Tile<'a, T, N, COLS, L> {
        // Where `first` has few bits, compilers leave this comparison out, and keep that of `first + N`.
        debug_assert!(N <= ROWS && first <= ROWS.saturating_sub(N), "the rows are outside the tile");
        Tile { elements: self.at(first, 0), memory: PhantomData }
    }

    fn fill<const ASYNC: bool>(self, x: View2<T>, row: isize, col: isize, fill: T) {
        let inside = Self::inside(row, col, x.rows(), x.cols());
        let from = x.address(row, col);
        let wide = inside && from as usize % Self::BYTES == 0 && x.stride() % Self::WIDE == 0;
        if Self::WIDE > 1 && wide {
            for i in (thread_rank() as usize..Self::ACCESSES).step_by(block_size() as usize) {
                let (r, c) = (i / Self::PER_ROW, i % Self::PER_ROW * Self::WIDE);
                let source = from.wrapping_add(r * x.stride() + c);
                copy::<T, ASYNC>(self.at(r, c), source, Self::BYTES);
            }
        } else {
            for i in (thread_rank() as usize..ROWS * COLS).step_by(block_size() as usize) {
                let (r, c) = (i / COLS, i % COLS);
                let source = from.wrapping_add(r * x.stride() + c);
                if outside(row, r, x.rows()) || outside(col, c, x.cols()) {
                    unsafe { *self.at(r, c) = fill }
                } else {
                    copy::<T, ASYNC>(self.at(r, c), source, size_of::<T>());
                }
            }
        }
    }

    /// Returns whether the whole tile lies in `rows` × `cols` elements.
    fn inside(row: isize, col: isize, rows: usize, cols: usize) -> bool {
        row >= 0 && col >= 0 && row as usize + ROWS <= rows && col as usize + COLS <= cols
    }

    /// The address of an element.
    pub(crate) fn at(self, row: usize, col: usize) -> *mut T {
        self.elements.wrapping_add(L::place(row, col, COLS))
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const ROWS: usize, const COLS: usize, const OF: usize, const GROUP: usize>
    Tile<'a, T, ROWS, COLS, Panels<OF, GROUP>>
{
    /// Panel `i`: the `WIDTH` columns from `i * WIDTH` on, 128 bytes of each row.
    #[track_caller]
    pub fn panel<const WIDTH: usize>(self, i: usize) -> Tile<'a, T, ROWS, WIDTH, Swizzle128<GROUP>> {
        debug_assert!(
            WIDTH == 8 * GROUP && i < COLS / WIDTH,
            "a panel is as wide as eight groups, and in the tile"
        );
        Tile { elements: self.elements.wrapping_add(i * OF * WIDTH), memory: PhantomData }
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const ROWS: usize, const COLS: usize, const GROUP: usize>
    Tile<'a, T, ROWS, COLS, Swizzle128<GROUP>>
{
    /// The same memory as adjacent panels: panel `i` consists of the `OF` rows from `i * OF` on.
    #[track_caller]
    pub fn side_by_side<const OF: usize, const WIDTH: usize>(
        self,
    ) -> Tile<'a, T, OF, WIDTH, Panels<OF, GROUP>> {
        debug_assert!(
            COLS == 8 * GROUP && OF * WIDTH == ROWS * COLS,
            "panels have rows of 128 bytes, and the elements of the tile"
        );
        Tile { elements: self.elements, memory: PhantomData }
    }
}

#[gpu_impl]
impl<T: AnyBits, const ROWS: usize, const COLS: usize, L: Layout> Index<(usize, usize)>
    for Tile<'_, T, ROWS, COLS, L>
{
    type Output = T;

    #[track_caller]
    fn index(&self, at: (usize, usize)) -> &T {
        let (row, col) = at;
        check_index(row, ROWS);
        check_index(col, COLS);
        unsafe { &*self.at(row, col) }
    }
}

#[gpu_impl]
impl<T: AnyBits, const ROWS: usize, const COLS: usize, L: Layout> IndexMut<(usize, usize)>
    for Tile<'_, T, ROWS, COLS, L>
{
    #[track_caller]
    fn index_mut(&mut self, at: (usize, usize)) -> &mut T {
        let (row, col) = at;
        check_index(row, ROWS);
        check_index(col, COLS);
        unsafe { &mut *self.at(row, col) }
    }
}

/// The tile that begins at this byte of a stage's memory.
#[doc(hidden)]
#[gpu_fn]
pub fn tile_at<'a, T: AnyBits, const ROWS: usize, const COLS: usize, L: Layout>(
    memory: *mut u64,
    byte: usize,
) -> Tile<'a, T, ROWS, COLS, L> {
    Tile { elements: memory.wrapping_add(byte / 8) as *mut T, memory: PhantomData }
}

/// Whether `start + offset` is outside `0..end`.
#[gpu_fn]
fn outside(start: isize, offset: usize, end: usize) -> bool {
    let at = start + offset as isize;
    at < 0 || at >= end as isize
}

/// Copies `bytes` bytes in one access; a size that is too small for an asynchronous copy is copied at once.
#[gpu_fn]
fn copy<T: AnyBits, const ASYNC: bool>(to: *mut T, from: *const T, bytes: usize) {
    let (to16, from16) = (to as *mut U32x4, from as *const U32x4);
    let (to8, from8) = (to as *mut U32x2, from as *const U32x2);
    let (to4, from4) = (to as *mut u32, from as *const u32);
    unsafe {
        match (bytes, ASYNC) {
            (16, true) => copy_async(&mut *to16, &*from16),
            (16, false) => *to16 = *from16,
            (8, true) => copy_async(&mut *to8, &*from8),
            (8, false) => *to8 = *from8,
            (4, true) => copy_async(&mut *to4, &*from4),
            (4, false) => *to4 = *from4,
            _ => *to = *from,
        }
    }
}
