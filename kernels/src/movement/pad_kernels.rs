//! The kernels that pad arrays: rows of the output, each from a row of the input or from none.

use warpsmith::prelude::*;

use super::axes::OUTER;
use super::kernels::THREADS;
use crate::border::{Border, mapped};
use crate::pack::Pack;

/// An axis with elements before and behind those of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Margin {
    /// Indices of the output.
    pub extent: usize,
    /// Indices of the input.
    pub inside: usize,
    /// Indices of the output before those of the input.
    pub before: usize,
    /// Elements from one index to the next in the input.
    pub x_stride: usize,
}

/// The axes of a padded array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Margins {
    /// The axes around rows, the first the slowest. Unused ones have one index.
    pub outer: [Margin; OUTER],
    /// The axis along a row.
    pub row: Margin,
}

/// Pieces of rows, in elements or packs, whichever an instruction stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Pieces {
    /// Values of a row.
    pub row: usize,
    /// Values of a piece.
    pub chunk: usize,
    /// Number of pieces.
    pub count: usize,
}

#[gpu_impl]
impl Margins {
    /// Where the input's row begins that stands for row `number` of the output; -1 if none does.
    fn first(&self, number: usize, border: Border) -> isize {
        let mut rest = number;
        let mut first = 0isize;
        #[unroll]
        for k in 0..OUTER {
            let axis = self.outer[OUTER - 1 - k];
            if axis.extent != 1 || axis.inside != 1 {
                let i = (rest % axis.extent) as isize - axis.before as isize;
                rest /= axis.extent;
                let i = mapped(i, axis.inside, border);
                first = if first < 0 || i < 0 { -1 } else { first + i * axis.x_stride as isize };
            }
        }
        first
    }
}

/// The element that stands for number `i` of the row that begins at `first`.
#[gpu_fn]
fn element<T: GpuType>(x: &[T], first: isize, i: isize, row: Margin, value: T, border: Border) -> T {
    let i = mapped(i, row.inside, border);
    if first < 0 || i < 0 { value } else { x[(first + i) as usize] }
}

/// The part of a piece that is copied from the input as it is. The values around it are of margins.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Split {
    /// The first value all of whose elements are the input's.
    lead: usize,
    /// The first one behind them.
    tail: usize,
    /// The input's element that the first of them begins with.
    from: usize,
}

/// Splits a piece of `len` values that begins with element `at` of the input's row, which may be before the row; `row` is where the row begins.
#[gpu_fn]
fn split(row: isize, at: isize, len: usize, values: usize, inside: usize) -> Split {
    let lead = ((-at).max(0) as usize).div_ceil(values);
    let tail = ((inside as isize - at).max(0) as usize / values).min(len);
    if row < 0 || lead >= tail {
        return Split { lead: len, tail: len, from: 0 };
    }
    Split { lead, tail, from: (row + at + (lead * values) as isize) as usize }
}

/// Writes the padded array element by element, `lanes` threads a piece.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn pad_elements<T: GpuType>(
    x: &[T],
    y: &mut [T],
    of: Margins,
    value: T,
    pieces: Pieces,
    #[comptime] lanes: u32,
    #[comptime] border: Border,
) {
    each_piece(pieces, lanes, |number, first, len, lane| {
        let row = of.first(number, border);
        let at = first as isize - of.row.before as isize;
        let to = &mut y[number * pieces.row + first..][..len];
        let Split { lead, tail, from } = split(row, at, len, 1, of.row.inside);
        let inner = &x[from..][..tail - lead];
        #[unroll(8)]
        for i in (lane..tail - lead).step_by(lanes as usize) {
            to[lead + i] = inner[i];
        }
        for k in (lane..lead + len - tail).step_by(lanes as usize) {
            let i = if k < lead { k } else { k - lead + tail };
            to[i] = element::<T>(x, row, at + i as isize, of.row, value, border);
        }
    });
}

/// Writes the padded array in packs of `N` elements. With `is_aligned`, the input's elements of a pack are a pack of the input too:
/// `x_packs` are its packs from the first element on.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn pad_packs<T: GpuType, const N: usize>(
    x: &[T],
    x_packs: &[Pack<T, N>],
    y: &mut [Pack<T, N>],
    of: Margins,
    value: T,
    pieces: Pieces,
    #[comptime] lanes: u32,
    #[comptime] border: Border,
    #[comptime] is_aligned: bool,
) {
    each_piece(pieces, lanes, |number, first, len, lane| {
        let row = of.first(number, border);
        let at = (first * N) as isize - of.row.before as isize;
        let to = &mut y[number * pieces.row + first..][..len];
        let Split { lead, tail, from } = split(row, at, len, N, of.row.inside);
        if is_aligned {
            let inner = &x_packs[from / N..][..tail - lead];
            #[unroll(8)]
            for i in (lane..tail - lead).step_by(lanes as usize) {
                to[lead + i] = inner[i];
            }
        } else {
            let inner = &x[from..][..(tail - lead) * N];
            #[unroll(8)]
            for i in (lane..tail - lead).step_by(lanes as usize) {
                let mut pack = Pack([value; N]);
                #[unroll]
                for k in 0..N {
                    pack.0[k] = inner[i * N + k];
                }
                to[lead + i] = pack;
            }
        }
        for k in (lane..lead + len - tail).step_by(lanes as usize) {
            let i = if k < lead { k } else { k - lead + tail };
            let mut pack = Pack([value; N]);
            #[unroll]
            for k in 0..N {
                pack.0[k] = element::<T>(x, row, at + (i * N + k) as isize, of.row, value, border);
            }
            to[i] = pack;
        }
    });
}

/// Calls `write` with the row, the first value and the length of each of the thread's pieces, and its lane of those that share a piece.
#[gpu_fn]
fn each_piece(pieces: Pieces, lanes: u32, mut write: impl FnMut(usize, usize, usize, usize)) {
    let lane = (thread_idx().x % lanes) as usize;
    let teams = (THREADS / lanes) as usize;
    let chunks = pieces.row.div_ceil(pieces.chunk);
    let mut piece = block_idx().x as usize * teams + (thread_idx().x / lanes) as usize;
    while piece < pieces.count {
        let first = piece % chunks * pieces.chunk;
        write(piece / chunks, first, pieces.chunk.min(pieces.row - first), lane);
        piece += grid_dim().x as usize * teams;
    }
}
