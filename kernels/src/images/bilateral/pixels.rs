//! Bilateral filters of any window, a result a thread at a time.

use warpsmith::prelude::*;

use super::super::field::Field;
use super::super::sample::Sample;
use super::tiles::Falloff;
use crate::border::{Border, mapped};

/// Threads of a block.
pub const PIXEL_THREADS: u32 = 256;

/// Writes means of the pixels in a window, weighted by how near and how similar they are, of any radius and number of channels.
#[gpu_kernel(launch_bounds(PIXEL_THREADS), noalias)]
pub fn bilateral_pixels<T: Sample>(
    x: &[T],
    y: &mut [T],
    field: Field,
    falloff: Falloff<T::Sum>,
    radius: usize,
    channels: usize,
    #[comptime] border: Border,
) {
    let [first_plane, first_row, first_col] = field.first;
    let [end_plane, end_row, end_col] = field.end;
    let (rows, cols) = (end_row - first_row, end_col - first_col);
    let (pixels, reach) = (field.cols / channels, radius as isize);
    for i in (global_id()..(end_plane - first_plane) * rows * cols).step_by(global_size()) {
        let (plane, row, col) =
            (first_plane + i / cols / rows, first_row + i / cols % rows, first_col + i % cols);
        let (pixel, channel) = (col / channels, col % channels);
        let from = plane * field.rows;
        let centre = (from + row) * field.x_stride + pixel * channels;
        let (mut sum, mut weights) = (T::Sum::ZERO, T::Sum::ZERO);
        for down in -reach..reach + 1 {
            let line = mapped(row as isize + down, field.rows, border);
            for right in -reach..reach + 1 {
                let at = mapped(pixel as isize + right, pixels, border);
                let is_zero = line < 0 || at < 0;
                let place = (from + line.max(0) as usize) * field.x_stride + at.max(0) as usize * channels;
                let mut differing = T::Sum::ZERO;
                for k in 0..channels {
                    let sample = if is_zero { T::Sum::ZERO } else { x[place + k].sum() };
                    let by = sample - x[centre + k].sum();
                    differing = by.mul_add(by, differing);
                }
                let sample = if is_zero { T::Sum::ZERO } else { x[place + channel].sum() };
                let apart = falloff.space * (down * down + right * right).cast::<T::Sum>();
                let weight = T::power_of_two(falloff.range.mul_add(differing, apart));
                weights += weight;
                sum = weight.mul_add(sample, sum);
            }
        }
        y[(from + row) * field.y_stride + col] = T::of_sum(sum / weights);
    }
}
