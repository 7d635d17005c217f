//! Tiles: equal parts of the list of row ends and non-zeros.
//!
//! The end of row `r` is item `offsets[r + 1] + r` of the list, behind the row's non-zeros.

use warpsmith::prelude::*;

use super::Offset;

/// Threads of a block, in every kernel of the family.
pub const THREADS: u32 = 256;

/// Rows that the searches of some tiles have in common.
const COMMON: usize = 4096;

/// Where a tile begins.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Start {
    /// The first row that ends in the tile or behind it.
    pub row: usize,
    /// The first non-zero.
    pub nonzero: usize,
}

/// The rows and the non-zeros of a tile. The rows from `first` on end in it, those from `last` on do not; `last` may begin in it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Tile {
    pub first: usize,
    pub last: usize,
    pub from: usize,
    pub to: usize,
}

/// `starts[t]` is where the tile from item `t * tile` on begins: behind the row that has this item, if that has at most `spared` non-zeros,
/// and otherwise at the item. So tiles share long rows only. No tile has more than `tile + spared` non-zeros, whatever the offsets are.
///
/// `starts` has one element more than there are tiles. Kernels of a call wait for each other by themselves if they are launched `early`.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn csr_tiles<I: Offset>(
    offsets: &[I],
    nonzeros: usize,
    tile: usize,
    spared: usize,
    starts: &mut [Start],
    #[comptime] early: bool,
) {
    if early {
        grid_dependency_wait();
        launch_dependents();
    }
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
        let mut start = Start { row: rows_before::<I>(offsets, item), nonzero: 0 };
        start.nonzero = (item - start.row).min(nonzeros);
        if start.row < rows {
            let (from, to) = (offsets[start.row].cast::<usize>(), offsets[start.row + 1].cast::<usize>());
            // Offsets that fall must not make a tile longer: its block reports them, and has memory for no more.
            if from < start.nonzero && start.nonzero <= to && to - from <= spared {
                start = Start { row: start.row + 1, nonzero: to.min(nonzeros) };
            }
        }
        starts[t] = start;
    }
}

/// The number of rows that end before an item.
#[gpu_fn]
fn rows_before<I: Offset>(offsets: &[I], item: usize) -> usize {
    // Many tiles read the same ends at first. Later these are their own, and fewer are read.
    let (low, len) = narrowed::<I, 16>(offsets, item, (0, offsets.len() - 1), COMMON);
    narrowed::<I, 4>(offsets, item, (low, len), 0).0
}

/// Narrows the rows down that may be the first to end at an item or behind it, to at most `most` and the one behind them: the first of them,
/// and how many come before the last.
#[gpu_fn]
fn narrowed<I: Offset, const WAYS: usize>(
    offsets: &[I],
    item: usize,
    rows: (usize, usize),
    most: usize,
) -> (usize, usize) {
    let (mut low, mut len) = rows;
    while len > most {
        let step = len.div_ceil(WAYS);
        let mut below = 0usize;
        #[unroll]
        for way in 1..WAYS {
            let row = low + (way * step).min(len) - 1;
            below += usize::from(offsets[row + 1].cast::<usize>() + row < item);
        }
        let skipped = (below * step).min(len);
        low += skipped;
        len -= skipped;
        if below < WAYS - 1 {
            len = len.min(step - 1);
        }
    }
    (low, len)
}

/// Tile number `t`. It lies inside the matrix whatever the offsets are.
#[gpu_fn]
pub(super) fn tile_of(t: usize, starts: &[Start]) -> Tile {
    let (start, end) = (starts[t], starts[t + 1]);
    let (first, from) = (start.row, start.nonzero);
    Tile { first, last: end.row.max(first), from, to: end.nonzero.max(from) }
}

/// The offset at the end of a row that begins at `from`.
#[gpu_fn]
pub(super) fn row_end<I: Offset>(offsets: &[I], row: usize, from: usize) -> usize {
    let end = offsets[row + 1].cast::<usize>();
    debug_assert!(from <= end, "the offsets of a sparse matrix never fall");
    end
}
