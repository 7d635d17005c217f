//! Fields of samples: planes of rows, the results to write, and the samples around them.

use warpsmith::prelude::*;

use super::sample::Sample;
use crate::border::{Border, mapped};

/// Samples on either side of a thread's own that windows of stencils have.
pub const SIDE: usize = 4;

/// Planes of rows below each other, and the results to write. Strides are in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Field {
    /// Number of planes.
    pub planes: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Samples of a row.
    pub cols: usize,
    /// From one row of the input to the next.
    pub x_stride: usize,
    /// From one row of the output to the next.
    pub y_stride: usize,
    /// The first result along each axis: planes, rows and columns.
    pub first: [usize; 3],
    /// The end of the results along each axis.
    pub end: [usize; 3],
    /// Rows or planes that a block takes one after the other.
    pub chunk: usize,
}

/// One of several planes below each other, whose extents and strides fit 32 bits. Strides are in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Plane {
    /// Rows of a plane.
    pub rows: u32,
    /// Samples of a row.
    pub cols: u32,
    /// From one row of the input to the next.
    pub x_stride: u32,
    /// From one row of the output to the next.
    pub y_stride: u32,
    /// The first row and column of the results.
    pub first: [u32; 2],
    /// The end of the rows and columns of the results.
    pub end: [u32; 2],
}

/// How a thread loads and stores its samples.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Columns {
    /// The first of them.
    pub first: usize,
    /// Samples of a row.
    pub cols: usize,
    /// Samples of a pixel.
    pub channels: usize,
    /// Whether all samples of its windows exist, and begin where one instruction loads several.
    pub is_inside: bool,
}

/// The samples of a row in shared memory around a thread's `N`, as many on both sides. Those beyond `reach` are missing. `row` has `side`
/// samples before the thread's first.
#[gpu_fn]
pub fn window<T: Sample, const N: usize, const LOADS: usize>(
    row: *const T,
    side: usize,
    reach: usize,
) -> [T::Neighbours; LOADS] {
    let of_load = size_of::<T::Neighbours>() / size_of::<T>();
    let before = (LOADS * of_load - N) / 2;
    let mut loads = [T::neighbours([T::Sum::ZERO; 4]); LOADS];
    #[unroll]
    for p in 0..LOADS {
        if p * of_load + of_load + reach > before && p * of_load < before + N + reach {
            let place = row.wrapping_add(side + p * of_load).wrapping_sub(before);
            // SAFETY: the row has the samples.
            loads[p] = unsafe { *(place as *const T::Neighbours) };
        }
    }
    loads
}

/// The column whose sample stands for that of column `i`, or -1 for a zero.
#[gpu_fn]
pub fn column(i: isize, at: Columns, border: Border) -> isize {
    if i >= 0 && i < at.cols as isize {
        return i;
    }
    let channels = at.channels as isize;
    let pixel = mapped(i.div_euclid(channels), at.cols / at.channels, border);
    if pixel < 0 { -1 } else { pixel * channels + i.rem_euclid(channels) }
}

/// Sample `i` of a window.
#[gpu_fn]
pub fn sample_of<T: Sample, const LOADS: usize>(window: &[T::Neighbours; LOADS], i: usize) -> T::Sum {
    let of_load = size_of::<T::Neighbours>() / size_of::<T>();
    T::of_neighbours(window[i / of_load], i % of_load)
}

/// `N` samples from a row and column on, a multiple of `N`, of a plane with `[rows, cols]`; zeros of a plane that `is_zero`.
#[gpu_fn]
pub fn neighbours_at<T: Sample, const N: usize>(
    plane: *const T,
    is_zero: bool,
    [row, col]: [isize; 2],
    [rows, cols]: [usize; 2],
    stride: usize,
    border: Border,
    is_wide: bool,
) -> T::Neighbours {
    let zero = T::Sum::ZERO;
    let line = mapped(row, rows, border);
    if is_zero || line < 0 {
        return T::neighbours([zero; 4]);
    }
    let from = plane.wrapping_add(line as usize * stride);
    if is_wide && col >= 0 && col + N as isize <= cols as isize {
        // SAFETY: the samples exist, and begin where one instruction loads several.
        return unsafe { *(from.wrapping_add(col as usize) as *const T::Neighbours) };
    }
    let mut sums = [zero; 4];
    #[unroll]
    for k in 0..N {
        let at = mapped(col + k as isize, cols, border);
        if at >= 0 {
            // SAFETY: the sample exists.
            sums[k] = unsafe { *from.wrapping_add(at as usize) }.sum();
        }
    }
    T::neighbours(sums)
}

/// Stores the sums of a thread's columns to a row: those that are results.
#[gpu_fn]
pub fn store<T: Sample, const N: usize>(row: *mut T, at: Columns, field: Field, sums: &[T::Sum; N]) {
    store_samples::<T, N>(row, at, field.first[2], field.end[2], sums);
}

/// The same for the columns from `from` to `to`.
#[gpu_fn]
pub fn store_samples<T: Sample, const N: usize>(
    row: *mut T,
    at: Columns,
    from: usize,
    to: usize,
    sums: &[T::Sum; N],
) {
    let of_store = size_of::<T::Neighbours>() / size_of::<T>();
    if at.is_inside && at.first >= from && at.first + N <= to {
        #[unroll]
        for p in 0..N / of_store {
            let mut four = [T::Sum::ZERO; 4];
            #[unroll]
            for k in 0..of_store {
                four[k] = sums[p * of_store + k];
            }
            // SAFETY: the row has the columns, and all of them are results.
            unsafe {
                *(row.wrapping_add(at.first + p * of_store) as *mut T::Neighbours) = T::neighbours(four)
            }
        }
    } else {
        #[unroll]
        for k in 0..N {
            let col = at.first + k;
            if col >= from && col < to {
                // SAFETY: the column is a result.
                unsafe { *row.wrapping_add(col) = T::of_sum(sums[k]) }
            }
        }
    }
}
