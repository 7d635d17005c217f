//! The kernel that puts arrays side by side: rows of some of them, one after another in rows of the output.

use warpsmith::prelude::*;

use super::kernels::THREADS;

/// The most parts of a launch.
pub const PARTS: usize = 8;

/// The parts of a launch, in values. Unused ones have no pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Parts {
    /// Pieces of a part and of all parts before it.
    pub ends: [usize; PARTS],
    /// Values of a row of each part.
    pub cols: [usize; PARTS],
    /// Values of a row of the output before those of the part.
    pub before: [usize; PARTS],
    /// Values of a row of the output.
    pub stride: usize,
    /// Values of a piece.
    pub chunk: usize,
}

/// Copies rows of up to `PARTS` arrays, in pieces of `of.chunk` values, `lanes` threads a piece.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
#[allow(clippy::too_many_arguments, reason = "a slice for each part")]
pub fn concat_rows<V: GpuType>(
    x0: &[V],
    x1: &[V],
    x2: &[V],
    x3: &[V],
    x4: &[V],
    x5: &[V],
    x6: &[V],
    x7: &[V],
    y: &mut [V],
    of: Parts,
    #[comptime] lanes: u32,
) {
    let lane = (thread_idx().x % lanes) as usize;
    let teams = (THREADS / lanes) as usize;
    let all = [
        x0.as_ptr(),
        x1.as_ptr(),
        x2.as_ptr(),
        x3.as_ptr(),
        x4.as_ptr(),
        x5.as_ptr(),
        x6.as_ptr(),
        x7.as_ptr(),
    ];
    let mut number = block_idx().x as usize * teams + (thread_idx().x / lanes) as usize;
    while number < of.ends[PARTS - 1] {
        let (mut x, mut cols, mut before, mut piece) = (all[0], of.cols[0], of.before[0], number);
        #[unroll]
        for k in 1..PARTS {
            if number >= of.ends[k - 1] {
                x = all[k];
                cols = of.cols[k];
                before = of.before[k];
                piece = number - of.ends[k - 1];
            }
        }
        let chunks = cols.div_ceil(of.chunk);
        let (row, first) = (piece / chunks, piece % chunks * of.chunk);
        let len = of.chunk.min(cols - first);
        let from = x.wrapping_add(row * cols + first);
        let to = y.as_mut_ptr().wrapping_add(row * of.stride + before + first);
        #[unroll(8)]
        for i in (lane..len).step_by(lanes as usize) {
            // SAFETY: a part has the values of its pieces, and a row of the output those of all parts.
            unsafe { *to.wrapping_add(i) = *from.wrapping_add(i) };
        }
        number += grid_dim().x as usize * teams;
    }
}
