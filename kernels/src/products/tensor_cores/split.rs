//! Products whose tiles are shared by two blocks, each of which adds up one half of the steps: compute capability 9.0.
//!
//! A product with few rows and columns has fewer tiles than the device has multiprocessors.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::scales::{Factors, ScaleStrides};
use super::super::shape::Shape;
use super::element::{Multiplied, Stored};
use super::partials::{place_of_partial, store_partial, sum_of_four};
use super::target::Target;
use super::warpgroups::{Lines, Step, THREADS, add_steps, load_step, place_of_group};

/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Blocks of a cluster, which share a tile.
pub const PARTS: u32 = 2;

/// `c = a * b`, finished as `how` says; `a`: `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// A cluster of [`PARTS`] blocks has a tile of `ROWS` × `COLS`, those below each other first. Two warpgroups of each block multiply 64
/// rows by `OWN` columns each: with 128 rows, those below each other, and with 64 rows, those side by side. Each block stores its sums in
/// `partials`, and then adds up every [`PARTS`]-th eight columns of the tile, in the order of the blocks. `scaling` says which factors
/// there are. If `streams`, the L2 cache drops `b` first.
#[gpu_kernel(launch_bounds(THREADS, 1), require(async_wgmma))]
pub fn gemm_split<
    T: Multiplied,
    C: Stored,
    E: Epilogue,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const STAGES: usize,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<T, COLS, DEPTH, Swizzle128>,
    c: &mut [C],
    bias: &[C],
    residual: &[C],
    a_scales: &[f32],
    b_scales: &[f32],
    partials: &mut [F32x4],
    shape: Shape,
    how: Finish,
    strides: ScaleStrides,
    epilogue: E,
    #[comptime] scaling: u32,
    #[comptime] streams: bool,
) {
    let ring = shared!(Pipeline<Step<T, 8, DEPTH, ROWS, COLS>, STAGES, 2>);
    grid_dependency_wait();
    launch_dependents();
    let (rank, tile) = (cluster_block_rank(), block_idx().x / PARTS);
    let down = shape.m.div_ceil(ROWS) as u32;
    let (row, col) = (tile % down * ROWS as u32, tile / down * COLS as u32);
    let steps = shape.k.div_ceil(DEPTH) as u32;
    let (start, end) = (steps * rank / PARTS, steps * (rank + 1) / PARTS);
    let group = warpgroup_id();
    let (above, before) = place_of_group::<ROWS, OWN>(group as usize);
    if group == 2 {
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            for s in start..end {
                let at = [row, col, s * DEPTH as u32];
                load_step::<T, Lines<T>, 8, DEPTH, ROWS, COLS, COLS, STAGES, 1>(
                    &mut load, a, b, at, 0, streams,
                );
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sums = Accumulator::<T::Total, OWN>::zero();
        add_steps::<T, Lines<T>, 8, DEPTH, ROWS, COLS, OWN, STAGES, 1>(
            &mut math,
            &mut sums,
            [above, before],
            end - start,
        );
        store_partial::<T::Total, OWN>(&sums, partials, place_of_partial::<OWN>(block_idx().x, group));
    }
    cluster_sync();
    if group < 2 {
        let (r, line) = Accumulator::<T::Total, OWN>::at(0);
        let (row, col) = (row as usize + above + r, col as usize + before + line);
        let factors = Factors::new(a_scales, b_scales, strides, shape.m, shape.n);
        let finisher = Finisher::new(how, bias, residual, epilogue, 0);
        let target = Target::new(finisher, factors, scaling, shape);
        for i in (rank as usize..OWN / 8).step_by(PARTS as usize) {
            let four = sum_of_four::<T::Total, OWN>(partials, tile * PARTS, PARTS, group, i);
            #[unroll]
            for e in 0..4usize {
                target.store::<T::Total>(c, four[e], row + e / 2 * 8, col + i * 8 + e % 2);
            }
        }
    }
}
