//! Products with few rows, by clusters whose blocks share the sums of a tile: compute capability 9.0.
//!
//! A product with few rows reads far more of `b` than it multiplies, so its time is that of reading `b`. There are few tiles, too. The
//! blocks of a cluster each take a part of the sums of one tile, and together keep the memory busy.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};
use warpsmith::tensor_map::MappedElement;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::Shape;

/// Columns of `c` that a cluster computes: 64 by each of the two warpgroups of a block.
pub const LINES: usize = 128;
/// Elements of a row of `a`, or of a column of `b`, that a stage holds: 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;
/// Unused elements between rows of sums: stores of a warp hit different banks.
pub const PAD: usize = 4;

/// Stages of the ring of a kernel for this number of rows: as many as leave room for its blocks on a multiprocessor.
pub const fn stages(rows: usize) -> usize {
    match rows {
        16 => 5,
        64 => 3,
        _ => 4,
    }
}

/// Bytes of shared memory of a block.
pub const fn shared(rows: usize, element: usize) -> usize {
    stages(rows) * (LINES + rows) * DEPTH * element + rows * (LINES + PAD) * size_of::<f32>()
}

/// The tiles of a step: columns of `b`, and rows of `a`.
#[derive(Stage)]
struct Step<'a, T: MappedElement + AnyBits + DeviceType<Erased = T> + 'static, const ROWS: usize> {
    lines: Tile<'a, T, LINES, DEPTH, Swizzle128>,
    rows: Tile<'a, T, ROWS, DEPTH, Swizzle128>,
}

/// `c = a * b`, finished as `how` says; `a`: `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`, of any size.
///
/// A cluster computes `ROWS` × [`LINES`] elements of `c`: the tiles below each other belong to clusters that follow each other. Each of its
/// blocks multiplies an equal part of the steps along k. The columns of `b` are the left operand, of which the tensor cores take 64 at a
/// time, and the rows of `a` the right one. The blocks leave their sums in shared memory, and each adds up and finishes some rows of `c`, in
/// the order of the blocks.
#[gpu_kernel(launch_bounds(THREADS, BLOCKS), require(async_wgmma))]
pub fn gemm_split_k<
    T: MappedElement + WgmmaElement<Sum = f32> + Num + DeviceType<Erased = T>,
    E: Epilogue,
    const ROWS: usize,
    const STAGES: usize,
    const BLOCKS: usize,
>(
    a: &TensorMap<T, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<T, LINES, DEPTH, Swizzle128>,
    c: &mut [T],
    bias: &[T],
    residual: &[T],
    shape: Shape,
    how: Finish,
    epilogue: E,
) {
    let ring = shared!(Pipeline<Step<T, ROWS>, STAGES, 2>);
    let mut parts = shared!([[f32; LINES + PAD]; ROWS], align = 16);
    let (rank, blocks) = (cluster_block_rank(), cluster_size());
    let (tile, down) = (block_idx().x / blocks, shape.m.div_ceil(ROWS) as u32);
    let (row, col) = (tile % down * ROWS as u32, tile / down * LINES as u32);
    let steps = shape.k.div_ceil(DEPTH) as u32;
    let (from, to) = (steps * rank / blocks, steps * (rank + 1) / blocks);
    let group = warpgroup_id() as usize;
    if group == 2 {
        if thread_idx().x == 256 {
            let mut load = ring.producer();
            for s in from..to {
                let slot = load.acquire();
                slot.load(slot.tiles().lines, b, [col, s * DEPTH as u32]);
                slot.load(slot.tiles().rows, a, [row, s * DEPTH as u32]);
                load.commit(slot);
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sums = Accumulator::<f32, ROWS>::zero();
        let mut chain = sums.chain();
        for _ in from..to {
            let stage = math.wait();
            chain.start_abt(stage.tiles().lines.rows(group * 64), stage.tiles().rows, true);
            math.release_behind(&mut chain, stage);
        }
        math.finish(chain);
        sums.for_each(|line, r, sum| parts[r][group * 64 + line] = sum);
    }
    // All sums of the cluster are there.
    cluster_sync();
    let (row, col) = (row as usize, col as usize);
    let finisher = Finisher::new(how, bias, residual, epilogue, 0);
    let (line, first) = (thread_idx().x as usize % LINES, thread_idx().x as usize / LINES);
    for r in (rank as usize + first * blocks as usize..ROWS).step_by(blocks as usize * 3) {
        if row + r < shape.m && col + line < shape.n {
            let mut sum = 0.0f32;
            for from in 0..blocks {
                sum += map_shared_rank(&mut parts[r], from)[line];
            }
            let at = (row + r) * how.c_stride + col + line;
            let old = if how.beta != 0.0 { c[at].cast::<f32>() } else { 0.0 };
            c[at] = finisher.element(sum, old, row + r, col + line);
        }
    }
    // No block ends while another reads its sums.
    cluster_sync();
}
