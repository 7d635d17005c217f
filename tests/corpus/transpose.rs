//! Transposes of an `[ny, nx]` matrix: naive both ways, through shared memory, and padded.

use warpsmith::prelude::*;

/// Side of a shared tile.
pub const TILE_DIM: u32 = 32;
/// Rows of a block of the shared kernels; a thread moves `TILE_DIM / BLOCK_ROWS` elements.
pub const BLOCK_ROWS: u32 = 8;

/// Reads rows, stores columns.
#[gpu_kernel]
pub fn transpose_naive_row(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_idx().x * block_dim().x + thread_idx().x;
    let iy = block_idx().y * block_dim().y + thread_idx().y;
    if ix < nx && iy < ny {
        out[ix * ny + iy] = input[iy * nx + ix];
    }
}

/// Reads columns, stores rows.
#[gpu_kernel]
pub fn transpose_naive_col(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_idx().x * block_dim().x + thread_idx().x;
    let iy = block_idx().y * block_dim().y + thread_idx().y;
    if ix < ny && iy < nx {
        out[iy * ny + ix] = input[ix * nx + iy];
    }
}

/// Through a shared tile, whose columns share a bank.
#[gpu_kernel]
pub fn transpose_smem(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let mut tile = shared!([[f32; TILE_DIM]; TILE_DIM]);
    let x = block_idx().x * TILE_DIM + thread_idx().x;
    let y = block_idx().y * TILE_DIM + thread_idx().y;
    for j in (0..TILE_DIM).step_by(BLOCK_ROWS as usize) {
        if x < nx && y + j < ny {
            tile[thread_idx().y + j][thread_idx().x] = input[(y + j) * nx + x];
        }
    }
    sync_threads();
    let x = block_idx().y * TILE_DIM + thread_idx().x;
    let y = block_idx().x * TILE_DIM + thread_idx().y;
    for j in (0..TILE_DIM).step_by(BLOCK_ROWS as usize) {
        if x < ny && y + j < nx {
            out[(y + j) * ny + x] = tile[thread_idx().x][thread_idx().y + j];
        }
    }
}

/// Through a shared tile with a column of padding: no two lanes share a bank.
#[gpu_kernel]
pub fn transpose_smem_pad(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let mut tile = shared!([[f32; TILE_DIM + 1]; TILE_DIM]);
    let x = block_idx().x * TILE_DIM + thread_idx().x;
    let y = block_idx().y * TILE_DIM + thread_idx().y;
    for j in (0..TILE_DIM).step_by(BLOCK_ROWS as usize) {
        if x < nx && y + j < ny {
            tile[thread_idx().y + j][thread_idx().x] = input[(y + j) * nx + x];
        }
    }
    sync_threads();
    let x = block_idx().y * TILE_DIM + thread_idx().x;
    let y = block_idx().x * TILE_DIM + thread_idx().y;
    for j in (0..TILE_DIM).step_by(BLOCK_ROWS as usize) {
        if x < ny && y + j < nx {
            out[(y + j) * ny + x] = tile[thread_idx().x][thread_idx().y + j];
        }
    }
}
