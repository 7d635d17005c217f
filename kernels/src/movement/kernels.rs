//! The kernels of movement: transposes through shared memory, and copies along one axis.

use warpsmith::prelude::*;

use super::axes::{Axis, Outer, Place};
use crate::pack::Pack;

/// Threads of a block of every kernel of the family.
pub const THREADS: u32 = 256;
/// Packs of a row of a tile, and threads along each of its sides.
pub const SIDE: usize = 16;
/// Parts of `SIDE × SIDE` packs of the largest tile.
const MOST_PARTS: usize = 4;
/// Threads along a row of a tile of single elements.
const ROW: usize = 32;

/// The matrices of a transpose, `rows × cols` in the input, and the tiles that they are cut into, one a block.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Turned {
    /// Rows of the input.
    pub rows: usize,
    /// Columns of the input.
    pub cols: usize,
    /// From one row of the input to the next.
    pub x_stride: usize,
    /// From one row of the output to the next.
    pub y_stride: usize,
    /// Tiles below each other.
    pub tile_rows: u32,
    /// Tiles beside each other.
    pub tile_cols: u32,
    /// Tiles that are taken below each other before the next ones beside them.
    pub band: u32,
}

/// A tile: its row and column in its matrix, and where the matrix begins on both sides.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Tile {
    row: usize,
    col: usize,
    x: usize,
    y: usize,
}

#[gpu_impl]
impl Turned {
    /// The tile of the block: matrix after matrix, band after band, column after column of each band.
    fn tile(&self, outer: &Outer, is_batched: bool) -> Tile {
        let (tiles, number) = (self.tile_rows * self.tile_cols, block_idx().x);
        let of_matrix = if is_batched { number % tiles } else { number };
        let of_band = self.band * self.tile_cols;
        let first = of_matrix / of_band * self.band;
        let height = self.band.min(self.tile_rows - first);
        let within = of_matrix % of_band;
        let (row, col) = ((first + within % height) as usize, (within / height) as usize);
        if is_batched {
            let place = outer.place((number / tiles) as usize);
            return Tile { row, col, x: place.x, y: place.y };
        }
        Tile { row, col, x: 0, y: 0 }
    }
}

/// The transposes of `N × N` elements that lie in `N` packs.
#[gpu_fn]
fn turned<W: Num, const N: usize>(packs: [Pack<W, N>; N]) -> [Pack<W, N>; N] {
    let mut turned = packs;
    #[unroll]
    for r in 0..N {
        #[unroll]
        for c in 0..N {
            turned[c].0[r] = packs[r].0[c];
        }
    }
    turned
}

/// `y = xᵀ` of matrices whose extents and strides are in packs of `N` elements.
///
/// A tile has `span * SIDE` packs on each side. A thread turns `N × N` elements of it at a time in its registers. In shared memory the
/// packs of a row change places, so no two lanes share a bank. Each warp reads and writes two rows of 256 bytes at a time.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn transpose_packs<W: Num, const N: usize>(
    x: &[Pack<W, N>],
    y: &mut [Pack<W, N>],
    of: Turned,
    outer: Outer,
    #[comptime] span: usize,
    #[comptime] is_batched: bool,
) {
    let mut memory = shared!([[Pack<W, N>; SIDE * span]; SIDE * N * span]);
    let (col, row) = ((thread_idx().x % 16) as usize, (thread_idx().x / 16) as usize);
    let side = SIDE * span;
    let tile = of.tile(&outer, is_batched);
    // All loads are in flight before the first of them is waited for. Behind an edge, they repeat what is at the edge.
    let mut parts = [[Pack([W::ZERO; N]); N]; MOST_PARTS];
    #[unroll]
    for part in 0..span * span {
        let from = (tile.row * side + part / span * SIDE + row).min(of.rows - 1);
        let from_col = (tile.col * side + part % span * SIDE + col).min(of.cols - 1);
        #[unroll]
        for k in 0..N {
            parts[part][k] = x[tile.x + (from * N + k) * of.x_stride + from_col];
        }
    }
    #[unroll]
    for part in 0..span * span {
        let (below, beside) = (part / span * SIDE + row, part % span * SIDE + col);
        let packs = turned::<W, N>(parts[part]);
        #[unroll]
        for k in 0..N {
            memory[beside * N + k][below ^ (col % 8)] = packs[k];
        }
    }
    sync_threads();
    #[unroll]
    for part in 0..span * span {
        let (below, beside) = (part / span * SIDE + row, part % span * SIDE + col);
        let (to, to_col) = (tile.col * side + below, tile.row * side + beside);
        if to < of.cols && to_col < of.rows {
            #[unroll]
            for k in 0..N {
                y[tile.y + (to * N + k) * of.y_stride + to_col] = memory[below * N + k][beside ^ (row % 8)];
            }
        }
    }
}

/// The side of a tile of bytes.
const BYTES: usize = 256;
/// Packs of a row of such a tile.
const BYTE_PACKS: usize = BYTES / 16;
/// Cells of four rows of a pack that a thread turns of such a tile.
const CELLS: usize = BYTES / 4 * BYTE_PACKS / THREADS as usize;

/// The bytes of four rows of four columns, as four rows: byte `c` of word `r` becomes byte `r` of word `c`.
#[gpu_fn]
fn turned_bytes(rows: [u32; 4]) -> [u32; 4] {
    let (low, high) = (byte_perm(rows[0], rows[1], 0x5140), byte_perm(rows[2], rows[3], 0x5140));
    let (low_2, high_2) = (byte_perm(rows[0], rows[1], 0x7362), byte_perm(rows[2], rows[3], 0x7362));
    [
        byte_perm(low, high, 0x5410),
        byte_perm(low, high, 0x7632),
        byte_perm(low_2, high_2, 0x5410),
        byte_perm(low_2, high_2, 0x7632),
    ]
}

/// `y = xᵀ` of matrices of bytes, whose extents and strides are in packs of 16 bytes.
///
/// A thread loads cells of four rows of a pack, turns them in its registers, and stores them to shared memory, where a row is a row of
/// `y`. There the packs of a row change places, so no two lanes share a bank. Each warp reads four whole lines at a time, and writes four.
#[gpu_kernel(launch_bounds(THREADS, 2), noalias)]
pub fn transpose_bytes(x: &[U32x4], y: &mut [U32x4], of: Turned, outer: Outer, #[comptime] is_batched: bool) {
    let mut memory = shared!([u32; BYTES * BYTES / 4], align = 16);
    let warp = (thread_idx().x % THREADS / 32) as usize;
    let (col, row) = ((thread_idx().x % 16) as usize, (thread_idx().x / 16) as usize);
    let (beside, below) = ((thread_idx().x % 8) as usize, (thread_idx().x % 32 / 8) as usize);
    let tile = of.tile(&outer, is_batched);
    // All loads are in flight before the first of them is waited for. Behind an edge, they repeat what is at the edge.
    let mut cells = [[U32x4::splat(0); 4]; CELLS];
    #[unroll]
    for part in 0..CELLS {
        let at = part * (THREADS as usize / 32) + warp;
        let (from_row, from_col) = (tile.row * BYTES + (at / 2 * 4 + below) * 4, at % 2 * 8 + beside);
        let (from, from_col) =
            (from_row.min(of.rows * 16 - 4), (tile.col * BYTE_PACKS + from_col).min(of.cols - 1));
        #[unroll]
        for r in 0..4 {
            cells[part][r] = x[tile.x + (from + r) * of.x_stride + from_col];
        }
    }
    #[unroll]
    for part in 0..CELLS {
        let at = part * (THREADS as usize / 32) + warp;
        let (row, col) = (at / 2 * 4 + below, at % 2 * 8 + beside);
        // A row of `y` for each column of the cell: words `row` of it, in packs that change places.
        let first = col * 16 * (BYTES / 4) + ((row / 4) ^ beside) * 4 + row % 4;
        let [a, b, c, d] = cells[part];
        let quarters =
            [[a.x, b.x, c.x, d.x], [a.y, b.y, c.y, d.y], [a.z, b.z, c.z, d.z], [a.w, b.w, c.w, d.w]];
        #[unroll]
        for k in 0..4 {
            let words = turned_bytes(quarters[k]);
            #[unroll]
            for j in 0..4 {
                memory[first + (4 * k + j) * (BYTES / 4)] = words[j];
            }
        }
    }
    sync_threads();
    let packs = memory.reinterpret::<U32x4>();
    #[unroll]
    for part in 0..BYTES / 16 {
        let to = part * 16 + row;
        let (to_row, to_col) = (tile.col * BYTES + to, tile.row * BYTE_PACKS + col);
        if to_row < of.cols * 16 && to_col < of.rows {
            y[tile.y + to_row * of.y_stride + to_col] = packs[to * BYTE_PACKS + (col ^ (part % 8))];
        }
    }
}

/// `y = xᵀ` of matrices whose extents and strides are in elements, through a tile of `EDGE × EDGE` with `PAD` elements behind each row.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn transpose_elements<W: Num, const EDGE: usize, const PAD: usize>(
    x: &[W],
    y: &mut [W],
    of: Turned,
    outer: Outer,
    #[comptime] is_batched: bool,
) {
    let mut memory = shared!([[W; EDGE + PAD]; EDGE]);
    let (col, row) = ((thread_idx().x % 32) as usize, (thread_idx().x / 32) as usize);
    let rows_at_once = THREADS as usize / ROW;
    let tile = of.tile(&outer, is_batched);
    let (first_row, first_col) = (tile.row * EDGE, tile.col * EDGE);
    #[unroll]
    for r in (0..EDGE).step_by(rows_at_once) {
        #[unroll]
        for c in (0..EDGE).step_by(ROW) {
            let (from, from_col) = (first_row + r + row, first_col + c + col);
            if from < of.rows && from_col < of.cols {
                memory[r + row][c + col] = x[tile.x + from * of.x_stride + from_col];
            }
        }
    }
    sync_threads();
    #[unroll]
    for r in (0..EDGE).step_by(rows_at_once) {
        #[unroll]
        for c in (0..EDGE).step_by(ROW) {
            let (to, to_col) = (first_col + r + row, first_row + c + col);
            if to < of.cols && to_col < of.rows {
                y[tile.y + to * of.y_stride + to_col] = memory[c + col][r + row];
            }
        }
    }
}

/// Copies along `inner`, in pieces of `chunk` values, `lanes` threads a piece.
///
/// The pieces of one row follow each other. Rows that are side by side on both sides are `is_dense`.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn copy_rows<V: GpuType>(
    x: &[V],
    y: &mut [V],
    inner: Axis,
    outer: Outer,
    chunk: usize,
    pieces: usize,
    #[comptime] lanes: u32,
    #[comptime] is_dense: bool,
    #[comptime] has_outer: bool,
) {
    let lane = (thread_idx().x % lanes) as usize;
    let teams = (THREADS / lanes) as usize;
    let chunks = inner.extent.div_ceil(chunk);
    let mut piece = block_idx().x as usize * teams + (thread_idx().x / lanes) as usize;
    while piece < pieces {
        let mut place = Place { x: 0, y: 0 };
        let mut first = piece * chunk;
        if has_outer {
            place = outer.place(piece / chunks);
            first = piece % chunks * chunk;
        }
        let len = chunk.min(inner.extent - first);
        if is_dense {
            let from = &x[place.x + first..][..len];
            let to = &mut y[place.y + first..][..len];
            #[unroll(8)]
            for i in (lane..len).step_by(lanes as usize) {
                to[i] = from[i];
            }
        } else {
            for i in (first + lane..first + len).step_by(lanes as usize) {
                y[place.y + i * inner.y_stride] = x[place.x + i * inner.x_stride];
            }
        }
        piece += grid_dim().x as usize * teams;
    }
}
