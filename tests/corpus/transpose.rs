//! Transposes of an `[ny, nx]` matrix: copies as bounds, naive both ways, unrolled, diagonal, through
//! shared memory, and padded.

use warpsmith::prelude::*;

/// Side of a shared tile.
pub const TILE_DIM: u32 = 32;
/// Rows of a block of the shared kernels; a thread moves `TILE_DIM / BLOCK_ROWS` elements.
pub const BLOCK_ROWS: u32 = 8;

/// No transpose, but the most that one can reach: reads and stores rows.
#[gpu_kernel]
pub fn copy_row(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_dim().x * block_idx().x + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    if ix < nx && iy < ny {
        out[iy * nx + ix] = input[iy * nx + ix];
    }
}

/// No transpose, but the least that one should reach: reads and stores columns.
#[gpu_kernel]
pub fn copy_col(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_dim().x * block_idx().x + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    if ix < nx && iy < ny {
        out[ix * ny + iy] = input[ix * ny + iy];
    }
}

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

/// Reads rows, stores columns, four elements a thread. `nx` is a multiple of four blocks.
#[gpu_kernel]
pub fn transpose_unroll4_row(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_dim().x * block_idx().x * 4 + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    let ti = iy * nx + ix;
    let to = ix * ny + iy;
    if ix + 3 * block_dim().x < nx && iy < ny {
        out[to] = input[ti];
        out[to + ny * block_dim().x] = input[ti + block_dim().x];
        out[to + ny * 2 * block_dim().x] = input[ti + 2 * block_dim().x];
        out[to + ny * 3 * block_dim().x] = input[ti + 3 * block_dim().x];
    }
}

/// Reads columns, stores rows, four elements a thread. `ny` is a multiple of four blocks.
#[gpu_kernel]
pub fn transpose_unroll4_col(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let ix = block_dim().x * block_idx().x * 4 + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    let ti = iy * ny + ix;
    let to = ix * nx + iy;
    if ix + 3 * block_dim().x < ny && iy < nx {
        out[ti] = input[to];
        out[ti + block_dim().x] = input[to + block_dim().x * nx];
        out[ti + 2 * block_dim().x] = input[to + 2 * block_dim().x * nx];
        out[ti + 3 * block_dim().x] = input[to + 3 * block_dim().x * nx];
    }
}

/// The same as [`transpose_naive_row()`], with the blocks that run together on a diagonal of the matrix.
#[gpu_kernel]
pub fn transpose_diagonal_row(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let bid = block_idx().y * grid_dim().x + block_idx().x;
    let blk_y = bid % grid_dim().y;
    let blk_x = (bid / grid_dim().y + blk_y) % grid_dim().x;
    let ix = block_dim().x * blk_x + thread_idx().x;
    let iy = block_dim().y * blk_y + thread_idx().y;
    if ix < nx && iy < ny {
        out[ix * ny + iy] = input[iy * nx + ix];
    }
}

/// The same as [`transpose_naive_col()`], with the blocks that run together on a diagonal of the matrix.
#[gpu_kernel]
pub fn transpose_diagonal_col(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let bid = block_idx().y * grid_dim().x + block_idx().x;
    let blk_y = bid % grid_dim().y;
    let blk_x = (bid / grid_dim().y + blk_y) % grid_dim().x;
    let ix = block_dim().x * blk_x + thread_idx().x;
    let iy = block_dim().y * blk_y + thread_idx().y;
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

/// Through a tile in dynamic shared memory as large as the block, whose shape is the launch's.
#[gpu_kernel]
pub fn transpose_smem_dyn(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let mut tile = dynamic_shared::<f32>();
    let ix = block_dim().x * block_idx().x + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    let ti = iy * nx + ix;
    let row_idx = thread_idx().y * block_dim().x + thread_idx().x;
    let irow = row_idx / block_dim().y;
    let icol = row_idx % block_dim().y;
    let col_idx = icol * block_dim().x + irow;
    let ix2 = block_dim().y * block_idx().y + icol;
    let iy2 = block_dim().x * block_idx().x + irow;
    let to = iy2 * ny + ix2;
    if ix < nx && iy < ny {
        tile[row_idx] = input[ti];
    }
    sync_threads();
    if ix2 < ny && iy2 < nx {
        out[to] = tile[col_idx];
    }
}

/// Elements that pad a row of the tiles below.
pub const PAD: u32 = 1;

/// The same as [`transpose_smem_dyn()`], with a column of padding.
#[gpu_kernel]
pub fn transpose_smem_pad_dyn(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let mut tile = dynamic_shared::<f32>();
    let ix = block_dim().x * block_idx().x + thread_idx().x;
    let iy = block_dim().y * block_idx().y + thread_idx().y;
    let ti = iy * nx + ix;
    let idx = thread_idx().y * block_dim().x + thread_idx().x;
    let row_idx = thread_idx().y * (block_dim().x + PAD) + thread_idx().x;
    let irow = idx / block_dim().y;
    let icol = idx % block_dim().y;
    let col_idx = icol * (block_dim().x + PAD) + irow;
    let ix2 = block_dim().y * block_idx().y + icol;
    let iy2 = block_dim().x * block_idx().x + irow;
    let to = iy2 * ny + ix2;
    if ix < nx && iy < ny {
        tile[row_idx] = input[ti];
    }
    sync_threads();
    if ix2 < ny && iy2 < nx {
        out[to] = tile[col_idx];
    }
}

/// Threads in `x` of a block of [`transpose_smem_unroll_pad()`].
pub const BDIMX: u32 = 32;
/// Threads in `y` of a block of [`transpose_smem_unroll_pad()`].
pub const BDIMY: u32 = 16;

/// Through a padded tile of two blocks side by side: two elements a thread.
#[gpu_kernel]
pub fn transpose_smem_unroll_pad(out: &mut [f32], input: &[f32], nx: u32, ny: u32) {
    let mut tile = shared!([f32; BDIMY * (BDIMX * 2 + PAD)]);
    let ix = 2 * block_idx().x * block_dim().x + thread_idx().x;
    let iy = block_idx().y * block_dim().y + thread_idx().y;
    let ti = iy * nx + ix;
    let bidx = thread_idx().y * block_dim().x + thread_idx().x;
    let irow = bidx / block_dim().y;
    let icol = bidx % block_dim().y;
    let ix2 = block_idx().y * block_dim().y + icol;
    let iy2 = 2 * block_idx().x * block_dim().x + irow;
    let to = iy2 * ny + ix2;
    let row_idx = thread_idx().y * (block_dim().x * 2 + PAD) + thread_idx().x;
    if ix < nx && iy < ny {
        tile[row_idx] = input[ti];
    }
    if ix + BDIMX < nx && iy < ny {
        tile[row_idx + BDIMX] = input[ti + BDIMX];
    }
    sync_threads();
    let col_idx = icol * (block_dim().x * 2 + PAD) + irow;
    if ix2 < ny && iy2 < nx {
        out[to] = tile[col_idx];
    }
    if ix2 < ny && iy2 + BDIMX < nx {
        out[to + ny * BDIMX] = tile[col_idx + BDIMX];
    }
}
