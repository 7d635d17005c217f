//! Several tiles in a ring, for copies that run ahead of their use.

use core::marker::PhantomData;

use warpsmith_macros::{GpuType, gpu_impl};

use super::{Layout, RowMajor, Tile};
use crate::device_api::copy_async::copy_async_commit;
use crate::device_api::number::Num;
use crate::types::{AnyBits, InShared, View2};

/// `STAGES` tiles in the block's shared memory, used in turn.
///
/// Declared by `shared!(Stages<T, ROWS, COLS, STAGES>)`, with a layout as for [`Tile`]. A kernel starts the
/// loads of the first `STAGES - 1` tiles, and then, in step `k`, waits for tile `k`, starts the load of
/// tile `k + STAGES - 1` and computes on tile `k`.
///
/// ```
/// # use warpsmith::prelude::*;
/// /// Sums of the columns of `x`, whose rows are a multiple of 8 and whose columns are 32.
/// #[gpu_kernel]
/// fn column_sums(x: View2<f32>, sums: &mut [f32]) {
///     let stages = shared!(Stages<f32, 8, 32, 3>);
///     let steps = x.rows() / 8;
///     for k in 0..2usize {
///         stages.load_async(k, x, k * 8, 0, 0.0);
///     }
///     let mut sum = 0.0;
///     for k in 0..steps {
///         copy_async_wait::<1>();
///         sync_threads();
///         stages.load_async(k + 2, x, (k + 2) * 8, 0, 0.0);
///         let tile = stages.tile(k);
///         for r in 0..8 {
///             sum += tile[(r, thread_idx().x)];
///         }
///     }
///     sums[thread_idx().x] = sum;
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let x = gpu.upload(&(0..40 * 32).map(|i| (i % 32) as f32).collect::<Vec<_>>())?;
/// # let mut sums = gpu.upload(&[0.0f32; 32])?;
/// # column_sums(x.view2(40, 32).unwrap(), &mut sums).grid(1).block(32).launch(&gpu)?;
/// # for (i, sum) in gpu.download(&sums)?.into_iter().enumerate() { assert_eq!(sum, 40.0 * i as f32); }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Stages<'a, T, const ROWS: usize, const COLS: usize, const STAGES: usize, L = RowMajor> {
    elements: *mut T,
    memory: PhantomData<(&'a T, L)>,
}

impl<T: AnyBits, const ROWS: usize, const COLS: usize, const STAGES: usize, L: Layout>
    Stages<'_, T, ROWS, COLS, STAGES, L>
{
    /// Elements of a tile.
    const TILE: usize = <Tile<'_, T, ROWS, COLS, L> as InShared>::LEN;

    /// Elements from one tile to the next: each starts where its layout asks for, if elements allow it.
    const STRIDE: usize = {
        let align = L::ALIGN as usize;
        let unit = if align % size_of::<T>() == 0 { align / size_of::<T>() } else { 1 };
        Self::TILE.div_ceil(unit) * unit
    };
}

impl<T: AnyBits, const ROWS: usize, const COLS: usize, const STAGES: usize, L: Layout> InShared
    for Stages<'_, T, ROWS, COLS, STAGES, L>
{
    type Element = T;
    const LEN: usize = STAGES * Self::STRIDE;
    const ALIGN: u32 = L::ALIGN;
}

#[gpu_impl]
impl<'a, T: AnyBits, const ROWS: usize, const COLS: usize, const STAGES: usize, L: Layout>
    Stages<'a, T, ROWS, COLS, STAGES, L>
{
    /// The tiles in `memory`, which is shared, aligned as its layout asks for and of [`LEN`](InShared::LEN) elements.
    #[track_caller]
    pub fn new(memory: &'a mut [T]) -> Stages<'a, T, ROWS, COLS, STAGES, L> {
        debug_assert!(memory.len() == Self::LEN, "the memory of the stages has another length");
        Stages { elements: memory.as_mut_ptr(), memory: PhantomData }
    }

    /// The tile of step `k`: tile `k % STAGES` of the ring.
    pub fn tile(self, k: usize) -> Tile<'a, T, ROWS, COLS, L> {
        let start = k % STAGES * Self::STRIDE;
        Tile { elements: self.elements.wrapping_add(start), memory: PhantomData }
    }

    /// Starts the load of the tile of step `k` from (`row`, `col`) on, as [`Tile::load_async`] does, and
    /// closes its group of copies.
    pub fn load_async<R: Num, C: Num>(self, k: usize, x: View2<T>, row: R, col: C, fill: T) {
        self.tile(k).load_async(x, row, col, fill);
        copy_async_commit();
    }
}
