//! One convolution, along the rows or across them, of any number of weights.

use warpsmith::prelude::*;

use super::super::field::Field;
use super::super::sample::Sample;
use crate::border::{Border, mapped};

/// Threads of a block.
pub const LINE_THREADS: u32 = 256;

/// Adds up the pixels around each in its row, or in its column with `is_down`, one result a thread at a time.
///
/// There is an odd number of weights. The planes have all of their rows below each other.
#[gpu_kernel(launch_bounds(LINE_THREADS), noalias)]
pub fn convolve_line<T: Sample, U: Sample>(
    x: &[T],
    y: &mut [U],
    field: Field,
    weights: &[T::Sum],
    channels: usize,
    #[comptime] border: Border,
    #[comptime] is_down: bool,
) {
    let [first_plane, first_row, first_col] = field.first;
    let [end_plane, end_row, end_col] = field.end;
    let (rows, cols) = (end_row - first_row, end_col - first_col);
    let radius = (weights.len() / 2) as isize;
    for i in (global_id()..(end_plane - first_plane) * rows * cols).step_by(global_size()) {
        let (plane, row, col) =
            (first_plane + i / cols / rows, first_row + i / cols % rows, first_col + i % cols);
        let (pixel, channel) = (col / channels, col % channels);
        let mut sum = T::Sum::ZERO;
        for k in 0..weights.len() {
            let offset = k as isize - radius;
            let (mut from_row, mut from_col) = (row as isize, col as isize);
            if is_down {
                from_row = mapped(row as isize + offset, field.rows, border);
            } else {
                let from = mapped(pixel as isize + offset, field.cols / channels, border);
                from_col = if from < 0 { -1 } else { from * channels as isize + channel as isize };
            }
            let mut sample = T::Sum::ZERO;
            if from_row >= 0 && from_col >= 0 {
                let line = (plane * field.rows + from_row as usize) * field.x_stride;
                sample = x[line + from_col as usize].sum();
            }
            sum = weights[k].mul_add(sample, sum);
        }
        y[(plane * field.rows + row) * field.y_stride + col] = U::of_sum(sum.cast::<U::Sum>());
    }
}
