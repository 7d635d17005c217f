//! Stencils of any offsets.

use warpsmith::prelude::*;

use super::super::field::Field;
use super::super::sample::Sample;
use crate::border::{Border, mapped};

/// Threads of a block.
pub const TAP_THREADS: u32 = 256;

/// An offset and its weight.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tap<S> {
    /// Planes, rows and columns.
    pub offset: [i32; 3],
    /// The weight.
    pub weight: S,
}

/// Adds up any neighbours, one result a thread at a time.
#[gpu_kernel(launch_bounds(TAP_THREADS), noalias)]
pub fn stencil_taps<T: Sample>(
    x: &[T],
    y: &mut [T],
    field: Field,
    taps: &[Tap<T::Sum>],
    #[comptime] border: Border,
) {
    let [first_plane, first_row, first_col] = field.first;
    let [end_plane, end_row, end_col] = field.end;
    let (rows, cols) = (end_row - first_row, end_col - first_col);
    for i in (global_id()..(end_plane - first_plane) * rows * cols).step_by(global_size()) {
        let (plane, row, col) =
            (first_plane + i / cols / rows, first_row + i / cols % rows, first_col + i % cols);
        let mut sum = T::Sum::ZERO;
        for k in 0..taps.len() {
            let Tap { offset, weight } = taps[k];
            let from_plane = mapped(plane as isize + offset[0] as isize, field.planes, border);
            let from_row = mapped(row as isize + offset[1] as isize, field.rows, border);
            let from_col = mapped(col as isize + offset[2] as isize, field.cols, border);
            let mut sample = T::Sum::ZERO;
            if from_plane >= 0 && from_row >= 0 && from_col >= 0 {
                let line = (from_plane as usize * field.rows + from_row as usize) * field.x_stride;
                sample = x[line + from_col as usize].sum();
            }
            sum = weight.mul_add(sample, sum);
        }
        y[(plane * field.rows + row) * field.y_stride + col] = T::of_sum(sum);
    }
}
