//! The kernels of rows: a row in the registers of the threads that share it, or a row that is read twice.

use warpsmith::prelude::*;

use super::function::RowFunction;
use super::lanes::{MOST_THREADS, joined};
use super::packed::{Packed, floats, plus, rounded};

/// Rows, in elements or packs, whichever an instruction loads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Extents {
    /// Number of rows.
    pub rows: usize,
    /// Packs of a row.
    pub packs: usize,
    /// Packs from one row of `x` to the next.
    pub x_stride: usize,
    /// Packs from one row of `y` to the next.
    pub y_stride: usize,
    /// Packs from one row of the residual to the next.
    pub residual_stride: usize,
}

/// Row after row of `x` as `y`, with `lanes` threads a row, each of which has up to `slots` packs of it in registers.
///
/// Rows that are full have `lanes * slots` packs. A row is read once. With a residual, the function gets `x + residual`, which
/// replaces the residual.
#[gpu_kernel(launch_bounds(MOST_THREADS), noalias)]
pub fn rows_in_registers<F: RowFunction, P: Packed, const N: usize, const SLOTS: usize>(
    x: &[P],
    residual: &mut [P],
    weight: &[P],
    bias: &[P],
    y: &mut [P],
    extents: Extents,
    epsilon: f32,
    #[comptime] lanes: u32,
    #[comptime] slots: u32,
    #[comptime] is_full: bool,
    #[comptime] has_residual: bool,
    #[comptime] has_weight: bool,
    #[comptime] has_bias: bool,
) {
    // Of rows that fill the slots, no access is guarded, and the compiler moves loads together.
    let packs = if is_full { (lanes * slots) as usize } else { extents.packs };
    let lane = (thread_idx().x % lanes) as usize;
    let teams = (block_dim().x / lanes) as usize;
    let mut first = block_idx().x as usize * teams;
    while first < extents.rows {
        let row = first + (thread_idx().x / lanes) as usize;
        let is_row = row < extents.rows;
        let mut held = [P::zero(); SLOTS];
        let mut summary = F::nothing();
        if is_row {
            let from = &x[row * extents.x_stride..][..packs];
            #[unroll]
            for s in 0..slots {
                let i = s as usize * lanes as usize + lane;
                if i < packs {
                    held[s] = from[i];
                }
            }
            if has_residual {
                let sums = &mut residual[row * extents.residual_stride..][..packs];
                #[unroll]
                for s in 0..slots {
                    let i = s as usize * lanes as usize + lane;
                    if i < packs {
                        held[s] = plus::<P, N>(held[s], sums[i]);
                    }
                }
                #[unroll]
                for s in 0..slots {
                    let i = s as usize * lanes as usize + lane;
                    if i < packs {
                        sums[i] = held[s];
                    }
                }
            }
            #[unroll]
            for s in 0..slots {
                if s as usize * lanes as usize + lane < packs {
                    summary = F::add::<N>(summary, floats::<P, N>(held[s]));
                }
            }
        }
        let all = F::of_row(joined::<F>(summary, lanes), (packs * N) as f32, epsilon);
        if is_row {
            let to = &mut y[row * extents.y_stride..][..packs];
            let weight = &weight[..if has_weight { packs } else { 0 }];
            let bias = &bias[..if has_bias { packs } else { 0 }];
            #[unroll]
            for s in 0..slots {
                let i = s as usize * lanes as usize + lane;
                if i < packs {
                    let values = outputs::<F, P, N>(all, held[s]);
                    to[i] = rounded::<P, N>(weighted::<P, N>(values, weight, bias, i, has_weight, has_bias));
                }
            }
        }
        first += grid_dim().x as usize * teams;
        if lanes > 32 && first < extents.rows {
            sync_threads();
        }
    }
}

/// Row after row of `x` as `y`, with a block a row. A row is read twice: for its summary, and for its outputs.
///
/// With a residual, the function gets `x + residual`, which replaces the residual.
#[gpu_kernel(launch_bounds(MOST_THREADS), noalias)]
pub fn rows_twice<F: RowFunction, P: Packed, const N: usize>(
    x: &[P],
    residual: &mut [P],
    weight: &[P],
    bias: &[P],
    y: &mut [P],
    extents: Extents,
    epsilon: f32,
    #[comptime] lanes: u32,
    #[comptime] has_residual: bool,
    #[comptime] has_weight: bool,
    #[comptime] has_bias: bool,
) {
    let packs = extents.packs;
    let lane = thread_idx().x as usize;
    let mut row = block_idx().x as usize;
    while row < extents.rows {
        let from = &x[row * extents.x_stride..][..packs];
        let mut summary = F::nothing();
        if has_residual {
            let sums = &mut residual[row * extents.residual_stride..][..packs];
            #[unroll(4)]
            for i in (lane..packs).step_by(lanes as usize) {
                let sum = plus::<P, N>(from[i], sums[i]);
                sums[i] = sum;
                summary = F::add::<N>(summary, floats::<P, N>(sum));
            }
        } else {
            #[unroll(4)]
            for i in (lane..packs).step_by(lanes as usize) {
                summary = F::add::<N>(summary, floats::<P, N>(from[i]));
            }
        }
        let all = F::of_row(joined::<F>(summary, lanes), (packs * N) as f32, epsilon);
        let to = &mut y[row * extents.y_stride..][..packs];
        #[unroll(4)]
        for i in (lane..packs).step_by(lanes as usize) {
            // A thread wrote itself what it reads again.
            let held = if has_residual { residual[row * extents.residual_stride + i] } else { from[i] };
            let values = outputs::<F, P, N>(all, held);
            to[i] = rounded::<P, N>(weighted::<P, N>(values, weight, bias, i, has_weight, has_bias));
        }
        row += grid_dim().x as usize;
        if row < extents.rows {
            sync_threads();
        }
    }
}

/// The outputs for elements of a row, before weight and bias.
#[gpu_fn]
pub fn outputs<F: RowFunction, P: Packed, const N: usize>(row: F::Row, held: P) -> [f32; N] {
    let mut values = floats::<P, N>(held);
    #[unroll]
    for k in 0..N {
        values[k] = F::output(row, values[k]);
    }
    values
}

/// Outputs of a row's pack `i`, with weight and bias.
#[gpu_fn]
pub fn weighted<P: Packed, const N: usize>(
    values: [f32; N],
    weight: &[P],
    bias: &[P],
    i: usize,
    has_weight: bool,
    has_bias: bool,
) -> [f32; N] {
    let mut all = values;
    if has_weight {
        let factors = floats::<P, N>(weight[i]);
        #[unroll]
        for k in 0..N {
            all[k] *= factors[k];
        }
    }
    if has_bias {
        let summands = floats::<P, N>(bias[i]);
        #[unroll]
        for k in 0..N {
            all[k] += summands[k];
        }
    }
    all
}
