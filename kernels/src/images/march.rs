//! A march along the rows of a plane: each row comes through a ring in shared memory once, and the sums of the next results stay in registers.

use warpsmith::prelude::*;

use super::field::{Columns, Field, column, store, window};
use super::sample::Sample;
use crate::border::{Border, mapped};
use crate::pack::PACK_BYTES;

/// Threads of a block.
pub const THREADS: u32 = 128;
/// Rows of a step.
pub const ROWS: usize = 4;
/// Steps whose rows a ring holds: those of one are added up while the others are on their way.
pub const STEPS: usize = 3;

/// Threads of a block, as samples are counted.
const ALL: usize = THREADS as usize;
/// The rows of chunks for a march that reaches `radius` rows above and below. Longer ones load fewer rows twice; of shorter ones there are
/// more, which keep all multiprocessors busy to the end.
pub fn rows_of_chunks(radius: usize) -> usize {
    (8 * radius).clamp(16, 64)
}

/// The parts of marches whose threads have `n` columns each.
pub fn parts(field: &Field, n: usize) -> usize {
    let beside = field.cols.div_ceil(ALL * n);
    beside.saturating_mul(field.rows.div_ceil(field.chunk)).saturating_mul(field.planes)
}

/// Samples of a row of the ring, for threads with `n` columns each: those of a block, and on both sides as many packs of 16 bytes as lie within
/// `reach`.
pub fn row_of_ring<T>(n: usize, reach: usize) -> usize {
    ALL * n + 2 * reach.next_multiple_of(PACK_BYTES / size_of::<T>())
}

/// How far a march reaches, and how it goes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct March {
    /// Rows above and below.
    pub radius: usize,
    /// Samples on either side.
    pub reach: usize,
    /// Samples of a pixel.
    pub channels: usize,
    /// Samples of a row of the ring.
    pub width: usize,
    /// Bytes that one instruction copies: 16, 8 or 4, or those of a sample.
    pub copied: usize,
}

/// A part of a plane: the columns of a block, in a chunk of rows.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Strip {
    /// The first column that comes through the ring, which may be before the first of the plane.
    first_col: isize,
    /// The first row that comes through the ring, which may be above the plane.
    first_row: isize,
    /// Whether the plane has all of its columns.
    is_inside: bool,
}

/// Computes the part that has a number: blocks beside each other come first.
///
/// `add` adds the products of a window, which has as many samples before a thread's first as behind its last, to sums: the first of the
/// `2 * radius + 1` that it has a share in is that of the row `radius` above. `SUMS` is at least `2 * radius + ROWS`. `ring` has `STEPS`
/// times the rows of a step. All threads of the block take part.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "both matrices, the part, and how it is computed")]
pub fn march<T: Sample, const N: usize, const LOADS: usize, const SUMS: usize>(
    x: *const T,
    y: *mut T,
    ring: *mut T,
    field: Field,
    number: usize,
    how: March,
    border: Border,
    is_wide: bool,
    add: impl Fn(&mut [[T::Sum; N]; SUMS], usize, &[T::Neighbours; LOADS]),
) {
    let March { radius, reach, width, .. } = how;
    let t = (thread_idx().x % THREADS) as usize;
    let beside = field.cols.div_ceil(ALL * N);
    let chunks = field.rows.div_ceil(field.chunk);
    let (rest, plane) = (number / beside, number / beside / chunks);
    let first_row = rest % chunks * field.chunk;
    let end_row = (first_row + field.chunk).min(field.rows);
    let first_col = number % beside * ALL * N;
    let side = (width - ALL * N) / 2;
    let strip = Strip {
        first_col: first_col as isize - side as isize,
        first_row: first_row as isize - radius as isize,
        is_inside: first_col >= side && first_col + ALL * N + side <= field.cols,
    };
    let x = x.wrapping_add(plane * field.rows * field.x_stride);
    let y = y.wrapping_add(plane * field.rows * field.y_stride);
    let is_result = plane >= field.first[0] && plane < field.end[0];
    let first = first_col + t * N;
    let at = Columns { first, cols: field.cols, channels: how.channels, is_inside: is_wide };

    let steps = (end_row - first_row + 2 * radius).div_ceil(ROWS);
    #[unroll(1)]
    for step in 0..STEPS - 1 {
        fetch::<T, N>(x, strip, ring, field, step, steps, step, how, border);
    }
    let mut sums = [[T::Sum::ZERO; N]; SUMS];
    let mut stage = 0;
    for step in 0..steps {
        copy_async_wait::<{ STEPS as u32 - 2 }>();
        sync_threads();
        let last = if stage == 0 { STEPS - 1 } else { stage - 1 };
        fetch::<T, N>(x, strip, ring, field, step + STEPS - 1, steps, last, how, border);
        let here = ring.wrapping_add(stage * ROWS * width + t * N) as *const T;
        #[unroll]
        for k in 0..ROWS {
            let window = window::<T, N, LOADS>(here.wrapping_add(k * width), side, reach);
            add(&mut sums, k, &window);
        }
        #[unroll]
        for k in 0..ROWS {
            let row = strip.first_row - radius as isize + (step * ROWS + k) as isize;
            let is_mine = row >= first_row as isize && row < end_row as isize;
            if is_mine && is_result && row as usize >= field.first[1] && (row as usize) < field.end[1] {
                store::<T, N>(y.wrapping_add(row as usize * field.y_stride), at, field, &sums[k]);
            }
        }
        #[unroll]
        for k in 0..SUMS {
            sums[k] = if k < 2 * radius { sums[k + ROWS] } else { [T::Sum::ZERO; N] };
        }
        stage = if stage + 1 == STEPS { 0 } else { stage + 1 };
    }
}

/// Starts the copies of the rows of a step, if there is one, to a stage of the ring.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "the part, where its rows come to, and how")]
fn fetch<T: Sample, const N: usize>(
    x: *const T,
    strip: Strip,
    ring: *mut T,
    field: Field,
    step: usize,
    steps: usize,
    stage: usize,
    how: March,
    border: Border,
) {
    if step < steps {
        let March { width, copied, .. } = how;
        let some = copied / size_of::<T>();
        let (of_row, t) = (width / some, (thread_idx().x % THREADS) as usize);
        let ring = ring.wrapping_add(stage * ROWS * width);
        let row = strip.first_row + (step * ROWS) as isize;
        if copied >= 4 && strip.is_inside && row >= 0 && row as usize + ROWS <= field.rows {
            let from = x.wrapping_add(row as usize * field.x_stride + strip.first_col as usize);
            #[unroll]
            for k in 0..(ROWS * of_row).div_ceil(ALL) {
                let i = k * ALL + t;
                if i < ROWS * of_row {
                    let place = i / of_row * field.x_stride + i % of_row * some;
                    copy::<T>(from.wrapping_add(place), ring.wrapping_add(i * some), copied);
                }
            }
        } else {
            #[unroll(1)]
            for i in (t..ROWS * of_row).step_by(ALL) {
                let row = mapped(row + (i / of_row) as isize, field.rows, border);
                let col = strip.first_col + (i % of_row * some) as isize;
                let from = x.wrapping_add(row.max(0) as usize * field.x_stride);
                let to = ring.wrapping_add(i * some);
                if copied >= 4 && row >= 0 && col >= 0 && col + some as isize <= field.cols as isize {
                    copy::<T>(from.wrapping_add(col as usize), to, copied);
                } else {
                    fill::<T>(from, to, some, row < 0, col, field, how.channels, border);
                }
            }
        }
    }
    copy_async_commit();
}

/// Fills places of the ring with what stands for the samples from `col` on of the row that begins at `from`, or with zeros.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "the samples, and what stands for them")]
fn fill<T: Sample>(
    from: *const T,
    to: *mut T,
    some: usize,
    is_zero: bool,
    col: isize,
    field: Field,
    channels: usize,
    border: Border,
) {
    let at = Columns { first: 0, cols: field.cols, channels, is_inside: false };
    #[unroll(1)]
    for e in 0..some {
        let col = column(col + e as isize, at, border);
        let mut sample = T::of_sum(T::Sum::ZERO);
        if !is_zero && col >= 0 {
            // SAFETY: the sample exists.
            sample = unsafe { *from.wrapping_add(col as usize) };
        }
        // SAFETY: the ring has the place.
        unsafe { *to.wrapping_add(e) = sample }
    }
}

/// Starts a copy of 16, 8 or 4 bytes that exist and begin at multiples of their number.
#[gpu_fn]
fn copy<T: Sample>(from: *const T, to: *mut T, bytes: usize) {
    // SAFETY: those of the caller.
    unsafe {
        if bytes == 16 {
            copy_async(&mut *(to as *mut U32x4), &*(from as *const U32x4));
        } else if bytes == 8 {
            copy_async(&mut *(to as *mut U32x2), &*(from as *const U32x2));
        } else {
            copy_async(&mut *(to as *mut u32), &*(from as *const u32));
        }
    }
}
