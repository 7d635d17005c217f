//! The kernel: a ring of stages in shared memory, and blocks of sums in registers.
//!
//! A block of 256 threads has a tile of `c`, and copies a few columns of `a` and rows of `b` at a time to a ring in shared memory.
//! Each thread has a block of sums in registers: reads of shared memory are far fewer than products.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::super::Epilogue;
use super::super::finish::{Finish, Finisher};
use super::super::shape::{Place, Shape, place_of, tiles_of};
use super::copy::{DEPTH, Lines, PAD, address, copy_ragged, copy_whole, mine};

/// Threads of a block: eight warps of 4 × 8 lanes.
pub const THREADS: u32 = 256;
/// Stages of the ring.
pub(super) const STAGES: usize = 3;

/// An operand on its way to the stages.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Feed<'a> {
    /// Where it begins.
    from: *const f32,
    /// The address that the calling thread copies from next, if the stage is whole.
    next: *const f32,
    /// The lines.
    lines: Lines,
    /// The calling thread's place in a stage.
    place: usize,
    memory: PhantomData<&'a f32>,
}

#[gpu_impl]
impl Feed<'_> {
    /// Goes to the beginning.
    fn begin<const WIDTH: usize, const BESIDE: bool, const WIDE: bool>(&mut self) {
        let [line, e] = mine::<WIDTH, BESIDE, WIDE>();
        self.next = address::<BESIDE>(self.from, self.lines, line, e);
        self.place = e * (WIDTH + PAD) + line;
    }

    /// Starts the copies to the stage of a step.
    fn copy<const WIDTH: usize, const BESIDE: bool, const WIDE: bool>(
        &mut self,
        stage: *mut f32,
        step: usize,
    ) {
        let lines = self.lines;
        if lines.first + WIDTH <= lines.count && (step + 1) * DEPTH <= lines.depth {
            let to = stage.wrapping_add(self.place);
            self.next = copy_whole::<WIDTH, BESIDE, WIDE>(to, self.next, lines.stride);
        } else {
            copy_ragged::<WIDTH, BESIDE>(stage, self.from, lines, step * DEPTH);
        }
    }
}

/// `GROUPS` groups of four elements of a stage's line, `APART` elements apart.
#[gpu_fn]
fn fragment<const GROUPS: usize, const APART: usize>(from: *const f32) -> [F32x4; GROUPS] {
    let mut groups = [F32x4::splat(0.0); GROUPS];
    #[unroll]
    for g in 0..GROUPS {
        let group = from.wrapping_add(g * APART) as *const F32x4;
        groups[g] = unsafe { *group };
    }
    groups
}

/// Component `i` of some vectors.
#[gpu_fn]
fn at<const GROUPS: usize>(groups: [F32x4; GROUPS], i: usize) -> f32 {
    let group = groups[i / 4];
    match i % 4 {
        0 => group.x,
        1 => group.y,
        2 => group.z,
        _ => group.w,
    }
}

/// `c = a * b`, finished as `how` says, of any size.
///
/// `a`: `[m, k]`, its rows `a_stride` apart, or its columns if `A_BESIDE`; `b`: `[k, n]`, its columns `b_stride` apart, or its rows if
/// `B_BESIDE`. `WIDE` is for operands whose groups of four lines that lie side by side begin at multiples of 16 bytes. A block computes
/// `M` × `N` elements, and a thread `R` × `C` groups of 4 × 4. The grid has a block for each tile of each product.
#[gpu_kernel(launch_bounds(THREADS, BLOCKS), noalias)]
pub fn gemm_cuda_cores<
    E: Epilogue,
    const A_BESIDE: bool,
    const B_BESIDE: bool,
    const WIDE: bool,
    const M: usize,
    const N: usize,
    const R: usize,
    const C: usize,
    const BLOCKS: usize,
>(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    bias: &[f32],
    residual: &[f32],
    shape: Shape,
    how: Finish,
    epilogue: E,
) {
    let mut a_ring = shared!([[f32; M + PAD]; STAGES * DEPTH], align = 16);
    let mut b_ring = shared!([[f32; N + PAD]; STAGES * DEPTH], align = 16);
    let Place { product, row, col } = place_of::<M, N>(block_idx().x, tiles_of::<M, N>(shape.m, shape.n));
    let mut a_feed = Feed {
        from: a.as_ptr().wrapping_add(product * shape.batch[0]),
        next: a.as_ptr(),
        lines: Lines { first: row, count: shape.m, stride: shape.a_stride, depth: shape.k },
        place: 0,
        memory: PhantomData,
    };
    let mut b_feed = Feed {
        from: b.as_ptr().wrapping_add(product * shape.batch[1]),
        next: b.as_ptr(),
        lines: Lines { first: col, count: shape.n, stride: shape.b_stride, depth: shape.k },
        place: 0,
        memory: PhantomData,
    };
    a_feed.begin::<M, A_BESIDE, WIDE>();
    b_feed.begin::<N, B_BESIDE, WIDE>();
    let a_stages = a_ring[0].as_mut_ptr();
    let b_stages = b_ring[0].as_mut_ptr();
    let (a_stage, b_stage) = (DEPTH * (M + PAD), DEPTH * (N + PAD));

    let steps = shape.k.div_ceil(DEPTH);
    #[unroll]
    for s in 0..STAGES - 1 {
        if s < steps {
            a_feed.copy::<M, A_BESIDE, WIDE>(a_stages.wrapping_add(s * a_stage), s);
            b_feed.copy::<N, B_BESIDE, WIDE>(b_stages.wrapping_add(s * b_stage), s);
        }
        copy_async_commit();
    }

    // The eight warps have blocks of 16 * R rows and 32 * C columns. Lanes that are next to each other share rows or columns, and
    // a read of 16 bytes a lane is two passes through shared memory.
    let (warp, lane) = (warp_id() as usize, lane_id() as usize);
    let warps_down = M / (16 * R);
    let (warp_row, warp_col) = (warp % warps_down * 16 * R, warp / warps_down * 32 * C);
    let lane_row = (lane / 2 % 2 + lane / 16 * 2) * 4;
    let lane_col = (lane % 2 + lane / 4 % 4 * 2) * 4;
    let a_mine = a_stages.wrapping_add(warp_row + lane_row);
    let b_mine = b_stages.wrapping_add(warp_col + lane_col);

    let mut sums = [[[[0.0f32; 4]; C]; 4]; R];
    let (mut stage, mut next) = (0usize, STAGES - 1);
    for s in 0..steps {
        copy_async_wait::<1>();
        // All have what this step reads, and have read what the next copies overwrite.
        sync_threads();
        if s + STAGES - 1 < steps {
            a_feed.copy::<M, A_BESIDE, WIDE>(a_stages.wrapping_add(next * a_stage), s + STAGES - 1);
            b_feed.copy::<N, B_BESIDE, WIDE>(b_stages.wrapping_add(next * b_stage), s + STAGES - 1);
        }
        copy_async_commit();
        let (a_here, b_here) = (a_mine.wrapping_add(stage * a_stage), b_mine.wrapping_add(stage * b_stage));
        (stage, next) = (if stage == STAGES - 1 { 0 } else { stage + 1 }, stage);
        let mut rows = fragment::<R, 16>(a_here);
        let mut cols = fragment::<C, 32>(b_here);
        #[unroll]
        for e in 0..DEPTH {
            let (these_rows, these_cols) = (rows, cols);
            if e + 1 < DEPTH {
                // Read while these are multiplied.
                rows = fragment::<R, 16>(a_here.wrapping_add((e + 1) * (M + PAD)));
                cols = fragment::<C, 32>(b_here.wrapping_add((e + 1) * (N + PAD)));
            }
            #[unroll]
            for i in 0..4 * R {
                #[unroll]
                for j in 0..4 * C {
                    let (x, y) = (at::<R>(these_rows, i), at::<C>(these_cols, j));
                    sums[i / 4][i % 4][j / 4][j % 4] = x.mul_add(y, sums[i / 4][i % 4][j / 4][j % 4]);
                }
            }
        }
    }

    let finisher = Finisher::new(how, bias, residual, epilogue, product);
    let to = c.as_mut_ptr().wrapping_add(product * shape.batch[2]);
    let (row, col) = (row + warp_row + lane_row, col + warp_col + lane_col);
    let is_wide = to as usize % 16 == 0 && how.c_stride % 4 == 0;
    #[unroll]
    for i in 0..4 * R {
        let r = row + i / 4 * 16 + i % 4;
        #[unroll]
        for g in 0..C {
            let first = col + g * 32;
            if r < shape.m && first < shape.n {
                let place = to.wrapping_add(r * how.c_stride + first);
                finisher.store_four(sums[i / 4][i % 4][g], r, first, shape.n - first, place, is_wide);
            }
        }
    }
}
