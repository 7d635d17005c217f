//! The kernel of the README's picture.

use warpsmith::prelude::*;

pub const SIDE: u32 = 512;

#[gpu_kernel]
pub fn transpose(x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([[f32; 32]; 32]);
    let (row, col) = (thread_idx().y, thread_idx().x);
    let (down, right) = (block_idx().y * 32, block_idx().x * 32);
    tile[row][col] = 0.5 * x[(down + row) * SIDE + right + col];
    sync_threads();
    y[(right + row) * SIDE + down + col] = tile[col][row];
}
