//! Bilateral filters of tiles with the pixels around them in shared memory.

use warpsmith::prelude::*;

use super::super::field::{Columns, Field, store};
use super::super::sample::Sample;
use crate::border::{Border, mapped};
use crate::pack::Pack;

/// Threads of a block.
pub const TILE_THREADS: u32 = 256;
/// Threads beside each other.
pub const LANES: usize = 32;
/// Pixels of a thread beside each other.
pub const PIXELS: usize = 4;
/// Rows that a block computes at once.
pub const AT_ONCE: usize = TILE_THREADS as usize / LANES;
/// The most channels.
pub const CHANNELS: usize = 4;
/// The greatest radius.
pub const RADIUS: usize = 16;

/// Columns of a tile that a thread fills at most.
const COLUMNS: usize = (LANES * PIXELS + 2 * RADIUS).div_ceil(LANES);
/// Packs of the greatest window of a thread.
const PACKS: usize = (PIXELS + 2 * RADIUS) / PIXELS;

/// How weights fall off: `2^(space * d² + range * e²)` for a pixel at a distance of `d`, whose samples differ by `e`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Falloff<S> {
    /// Of the distance between pixels.
    pub space: S,
    /// Of the distance between their samples.
    pub range: S,
}

/// Writes means of the pixels in a window, weighted by how near and how similar they are.
///
/// A block has tiles of `rows` rows, a multiple of `AT_ONCE`, with the pixels around them in shared memory, one for each of up to
/// `CHANNELS` channels. `width` is that of a tile's row: a multiple of `PIXELS`.
#[gpu_kernel(launch_bounds(TILE_THREADS), noalias)]
pub fn bilateral_tiles<T: Sample>(
    x: &[T],
    y: &mut [T],
    field: Field,
    falloff: Falloff<T::Sum>,
    parts: usize,
    #[comptime] radius: usize,
    #[comptime] channels: usize,
    #[comptime] rows: usize,
    #[comptime] width: usize,
    #[comptime] border: Border,
    #[comptime] is_wide: bool,
) {
    let mut tile = shared!([T::Sum; channels * (rows + 2 * radius) * width], align = 16);
    let of_channel = (rows + 2 * radius) * width;
    let t = (thread_idx().x % TILE_THREADS) as usize;
    let (lane, warp) = (t % LANES, t / LANES);
    let pixels = field.cols / channels;
    let beside = pixels.div_ceil(LANES * PIXELS);
    let below = field.rows.div_ceil(rows);
    let mut number = block_idx().x as usize;
    while number < parts {
        let plane = number / beside / below;
        let (first_row, first) = (number / beside % below * rows, number % beside * LANES * PIXELS);
        let from = x.as_ptr().wrapping_add(plane * field.rows * field.x_stride);
        // Where the thread's columns of the tile lie in each row; less than zero for zeros.
        let mut places = [0isize; COLUMNS];
        #[unroll]
        for k in 0..width.div_ceil(LANES) {
            let pixel = (first + k * LANES + lane) as isize - radius as isize;
            places[k] = mapped(pixel, pixels, border) * channels as isize;
        }
        for r in (warp..rows + 2 * radius).step_by(AT_ONCE) {
            let row = mapped((first_row + r) as isize - radius as isize, field.rows, border);
            let line = from.wrapping_add(row.max(0) as usize * field.x_stride);
            #[unroll]
            for k in 0..width.div_ceil(LANES) {
                let c = k * LANES + lane;
                if c < width {
                    #[unroll]
                    for channel in 0..channels {
                        let mut sample = T::Sum::ZERO;
                        if row >= 0 && places[k] >= 0 {
                            // SAFETY: the pixel exists.
                            sample = unsafe { *line.wrapping_add(places[k] as usize + channel) }.sum();
                        }
                        tile[channel * of_channel + r * width + c] = sample;
                    }
                }
            }
        }
        sync_threads();
        let is_result = plane >= field.first[0] && plane < field.end[0];
        let to = y.as_mut_ptr().wrapping_add(plane * field.rows * field.y_stride);
        #[unroll(1)]
        for r in (warp..rows).step_by(AT_ONCE) {
            let row = first_row + r;
            if is_result && row >= field.first[1] && row < field.end[1] {
                let mut centres = [[T::Sum::ZERO; PIXELS]; CHANNELS];
                let mut sums = [[T::Sum::ZERO; PIXELS]; CHANNELS];
                let mut weights = [T::Sum::ZERO; PIXELS];
                #[unroll]
                for channel in 0..channels {
                    #[unroll]
                    for i in 0..PIXELS {
                        let line = channel * of_channel + (r + radius) * width;
                        centres[channel][i] = tile[line + lane * PIXELS + radius + i];
                    }
                }
                #[unroll(1)]
                for down in 0..2 * radius + 1 {
                    let mut window = [[Pack([T::Sum::ZERO; PIXELS]); PACKS]; CHANNELS];
                    #[unroll]
                    for channel in 0..channels {
                        let line = channel * of_channel + (r + down) * width + lane * PIXELS;
                        #[unroll]
                        for p in 0..1 + (2 * radius).div_ceil(PIXELS) {
                            let place = tile.as_ptr().wrapping_add(line + p * PIXELS);
                            // SAFETY: the tile has the pixels.
                            window[channel][p] = unsafe { *(place as *const Pack<T::Sum, PIXELS>) };
                        }
                    }
                    let below = distance::<T::Sum>(down, radius);
                    #[unroll]
                    for right in 0..2 * radius + 1 {
                        let beside = distance::<T::Sum>(right, radius);
                        let apart = falloff.space * (below + beside);
                        #[unroll]
                        for i in 0..PIXELS {
                            let mut differing = T::Sum::ZERO;
                            #[unroll]
                            for channel in 0..channels {
                                let by = pixel(&window[channel], right + i) - centres[channel][i];
                                differing = by.mul_add(by, differing);
                            }
                            let weight = T::power_of_two(falloff.range.mul_add(differing, apart));
                            weights[i] += weight;
                            #[unroll]
                            for channel in 0..channels {
                                sums[channel][i] =
                                    weight.mul_add(pixel(&window[channel], right + i), sums[channel][i]);
                            }
                        }
                    }
                }
                let line = to.wrapping_add(row * field.y_stride);
                #[unroll]
                for channel in 0..channels {
                    #[unroll]
                    for i in 0..PIXELS {
                        sums[channel][i] /= weights[i];
                    }
                }
                let at =
                    Columns { first: first + lane * PIXELS, cols: field.cols, channels, is_inside: is_wide };
                if channels == 1 {
                    store::<T, PIXELS>(line, at, field, &sums[0]);
                } else {
                    #[unroll]
                    for i in 0..PIXELS {
                        #[unroll]
                        for channel in 0..channels {
                            let col = (at.first + i) * channels + channel;
                            if col >= field.first[2] && col < field.end[2] {
                                // SAFETY: the pixel is a result.
                                unsafe { *line.wrapping_add(col) = T::of_sum(sums[channel][i]) }
                            }
                        }
                    }
                }
            }
        }
        number += grid_dim().x as usize;
        if number < parts {
            sync_threads();
        }
    }
}

/// Pixel `i` of a window.
#[gpu_fn]
fn pixel<S: Float>(window: &[Pack<S, PIXELS>; PACKS], i: usize) -> S {
    window[i / PIXELS].0[i % PIXELS]
}

/// The square of the distance of place `i` of a window from its middle.
#[gpu_fn]
fn distance<S: Float>(i: usize, radius: usize) -> S {
    let by = i.max(radius) - i.min(radius);
    ((by * by) as u32).cast::<S>()
}
