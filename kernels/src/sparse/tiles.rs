//! Tiles: equal parts of the list of row ends and non-zeros.
//!
//! The end of row `r` is item `offsets[r + 1] + r` of the list, behind the row's non-zeros.

use warpsmith::prelude::*;

use super::Offset;

/// Threads of a block, in every kernel of the family.
pub const THREADS: u32 = 256;

/// The rows and the non-zeros of a tile. The rows from `first` on end in it, those from `last` on do not; `last` may begin in it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Tile {
    pub first: usize,
    pub last: usize,
    pub from: usize,
    pub to: usize,
}

/// `starts[t]` is the number of rows that end before item `t * tile`.
///
/// `starts` has one element more than there are tiles.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn csr_tiles<I: Offset>(offsets: &[I], nonzeros: usize, tile: usize, starts: &mut [usize]) {
    let t = global_id();
    let rows = offsets.len() - 1;
    if t == 0 {
        let (first, last) = (offsets[0].cast::<usize>(), offsets[rows].cast::<usize>());
        assert!(
            first == 0 && last == nonzeros,
            "the offsets of a sparse matrix go from 0 to its number of non-zeros"
        );
    }
    if t < starts.len() {
        let item = (t * tile).min(rows + nonzeros);
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = (low + high) / 2;
            if offsets[middle + 1].cast::<usize>() + middle < item {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        starts[t] = low;
    }
}

/// Tile number `t` of tiles of `tile` items. It lies inside of the matrix whatever the offsets are.
#[gpu_fn]
pub(super) fn tile_of(t: usize, starts: &[usize], rows: usize, nonzeros: usize, tile: usize) -> Tile {
    let items = rows + nonzeros;
    let first = starts[t];
    let last = starts[t + 1].max(first);
    let from = ((t * tile).min(items) - first).min(nonzeros);
    let to = ((t * tile + tile).min(items) - last).min(nonzeros);
    Tile { first, last, from, to }
}

/// The offset at the end of a row that begins at `from`.
#[gpu_fn]
pub(super) fn row_end<I: Offset>(offsets: &[I], row: usize, from: usize) -> usize {
    let end = offsets[row + 1].cast::<usize>();
    debug_assert!(from <= end, "the offsets of a sparse matrix never fall");
    end
}
