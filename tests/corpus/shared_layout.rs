//! Layouts of a tile in shared memory: rows and columns written and read, square and rectangular, in
//! static and in dynamic memory, with padding and without.
//!
//! Each thread of one block stores its index; what comes out is the tile or its transpose.

use warpsmith::prelude::*;

/// Columns of the tile, and threads of a block in `x`.
pub const BDIMX: u32 = 32;
/// Rows of the square tile.
pub const BDIMY: u32 = 32;
/// Rows of the rectangular tile.
pub const RECT_BDIMY: u32 = 16;
/// Elements that pad a row.
pub const PAD: u32 = 1;

/// Rows are written and read: no bank conflict.
#[gpu_kernel]
pub fn set_row_read_row(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX]; BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().y][thread_idx().x];
}

/// Columns are written and read: each access of a warp goes to one bank.
#[gpu_kernel]
pub fn set_col_read_col(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMY]; BDIMX]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().x][thread_idx().y] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().x][thread_idx().y];
}

/// Rows are written, columns are read: the loads conflict.
#[gpu_kernel]
pub fn set_row_read_col(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX]; BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().x][thread_idx().y];
}

/// The same as [`set_row_read_col()`], in dynamic shared memory.
#[gpu_kernel]
pub fn set_row_read_col_dyn(out: &mut [u32]) {
    let mut tile = dynamic_shared::<u32>();
    let row_idx = thread_idx().y * block_dim().x + thread_idx().x;
    let col_idx = thread_idx().x * block_dim().y + thread_idx().y;
    tile[row_idx] = row_idx;
    sync_threads();
    out[row_idx] = tile[col_idx];
}

/// The same as [`set_row_read_col()`], with a column of padding: no bank conflict.
#[gpu_kernel]
pub fn set_row_read_col_pad(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX + PAD]; BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().x][thread_idx().y];
}

/// The same as [`set_row_read_col_pad()`], in dynamic shared memory.
#[gpu_kernel]
pub fn set_row_read_col_dyn_pad(out: &mut [u32]) {
    let mut tile = dynamic_shared::<u32>();
    let row_idx = thread_idx().y * (block_dim().x + PAD) + thread_idx().x;
    let col_idx = thread_idx().x * (block_dim().x + PAD) + thread_idx().y;
    let g_idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[row_idx] = g_idx;
    sync_threads();
    out[g_idx] = tile[col_idx];
}

/// Rows of the rectangle are written and read.
#[gpu_kernel]
pub fn set_row_read_row_rect(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX]; RECT_BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().y][thread_idx().x];
}

/// Columns of the rectangle are written and read.
#[gpu_kernel]
pub fn set_col_read_col_rect(out: &mut [u32]) {
    let mut tile = shared!([[u32; RECT_BDIMY]; BDIMX]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    tile[thread_idx().x][thread_idx().y] = idx;
    sync_threads();
    out[idx] = tile[thread_idx().x][thread_idx().y];
}

/// Rows of the rectangle are written, columns are read: what comes out is the transpose.
#[gpu_kernel]
pub fn set_row_read_col_rect(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX]; RECT_BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    let irow = idx / block_dim().y;
    let icol = idx % block_dim().y;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[icol][irow];
}

/// The same as [`set_row_read_col_rect()`], in dynamic shared memory.
#[gpu_kernel]
pub fn set_row_read_col_dyn_rect(out: &mut [u32]) {
    let mut tile = dynamic_shared::<u32>();
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    let irow = idx / block_dim().y;
    let icol = idx % block_dim().y;
    let col_idx = icol * block_dim().x + irow;
    tile[idx] = idx;
    sync_threads();
    out[idx] = tile[col_idx];
}

/// The same as [`set_row_read_col_rect()`], with a column of padding.
#[gpu_kernel]
pub fn set_row_read_col_pad_rect(out: &mut [u32]) {
    let mut tile = shared!([[u32; BDIMX + PAD]; RECT_BDIMY]);
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    let irow = idx / block_dim().y;
    let icol = idx % block_dim().y;
    tile[thread_idx().y][thread_idx().x] = idx;
    sync_threads();
    out[idx] = tile[icol][irow];
}
