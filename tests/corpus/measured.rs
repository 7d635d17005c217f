//! Launches whose metrics are known: predicted on the simulator, measured by Nsight Compute on a GPU.
//!
//! The same launch is made either way. Sizes are small: figures are counts, and counts do not depend on
//! how busy a device is.

use warpsmith::metrics::Report;
use warpsmith::prelude::*;

use crate::access::{
    Float2, array_of_cuda_float2, array_of_structure, copy, copy_ldg, copy_restrict, read_offset,
    read_offset_unroll4, structure_of_array, write_offset,
};
use crate::counted_work::{apart, contracted, fused, parted, parted_by_warps, uneven_rounds};
use crate::divergence::{
    long_math_kernel1, long_math_kernel2, long_math_kernel3, math_kernel1, math_kernel2, math_kernel3,
};
use crate::shared_layout as layout;
use crate::transpose::{self, BDIMX, BDIMY, PAD, TILE_DIM};

/// The way in which a launch is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is run on the simulator and counted.
    Predict,
    /// It is run on a GPU, where a profiler counts it.
    Run,
}

/// A launch with a name: `write_offset@11`.
pub struct Measured {
    /// The kernel, and what tells its launches apart.
    pub name: &'static str,
    /// Makes the launch; the report where it is counted.
    pub launch: fn(&Device, How) -> warpsmith::Result<Option<Report>>,
}

impl Measured {
    /// The launch's metrics on the simulator.
    ///
    /// # Errors
    /// The errors of the launch, or a fault.
    pub fn predict(&self) -> warpsmith::Result<Report> {
        Ok((self.launch)(&Device::simulator(), How::Predict)?.unwrap_or_default())
    }
}

/// Makes the launch; the report where it is counted.
pub(crate) fn done<K: Kernel>(
    device: &Device,
    how: How,
    launch: Launch<'_, K>,
) -> warpsmith::Result<Option<Report>> {
    match how {
        How::Predict => launch.metrics(device).map(Some),
        // SAFETY: the simulator, which checks every index, runs the same launches (`tests/metrics`).
        How::Run => unsafe { launch.launch_unchecked(device) }.map(|()| None),
    }
}

const N: usize = 1 << 12;
const SIDE: u32 = 128;

/// Threads that load vectors of shared memory: thread `t` the one at `t / group * stride`.
#[gpu_kernel]
pub fn shared_pairs(out: &mut [F32x2], stride: u32, group: u32) {
    let mut tile = shared!([F32x2; 128]);
    let t = thread_idx().x;
    for k in 0..4u32 {
        tile[t + 32 * k] = F32x2::splat(t as f32);
    }
    sync_threads();
    out[t] = tile[t / group * stride];
}

/// The same as [`shared_pairs()`] with vectors of four.
#[gpu_kernel]
pub fn shared_quads(out: &mut [F32x4], stride: u32, group: u32) {
    let mut tile = shared!([F32x4; 128]);
    let t = thread_idx().x;
    for k in 0..4u32 {
        tile[t + 32 * k] = F32x4::splat(t as f32);
    }
    sync_threads();
    out[t] = tile[t / group * stride];
}

/// Copies vectors of four that lie `stride` apart.
#[gpu_kernel]
pub fn copy_quads(out: &mut [F32x4], input: &[F32x4], stride: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    out[i] = input[i * stride];
}

/// Counts into `bins` bins; lanes meet where there are fewer than 32.
#[gpu_kernel]
pub fn count_into(bins: &mut [u32], mask: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    atomic_add(&mut bins[i & mask], 1);
}

/// Launches of kernels `(out, input, nx, ny)` on a square matrix.
macro_rules! turned {
    ($kernel:ident, $block:expr, $covers:expr, $shared:expr) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let input = device.upload(&vec![1.0f32; (SIDE * SIDE) as usize])?;
                let mut out = device.upload(&vec![0.0f32; (SIDE * SIDE) as usize])?;
                let [x, y]: [u32; 2] = $covers;
                let launch = transpose::$kernel(&mut out, &input, SIDE, SIDE);
                let launch = launch.grid([SIDE / x, SIDE / y]).block($block);
                done(device, how, launch.dynamic_shared($shared as usize))
            },
        }
    };
}

/// Launches of kernels that write one block's tile.
macro_rules! tile {
    ($kernel:ident, $rows:expr, $row_length:expr) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let mut out = device.upload(&vec![0u32; (layout::BDIMX * $rows) as usize])?;
                let launch = layout::$kernel(&mut out).grid(1).block([layout::BDIMX, $rows]);
                done(device, how, launch.dynamic_shared(($row_length * $rows * 4) as usize))
            },
        }
    };
}

macro_rules! copied {
    ($kernel:ident) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let input = device.upload(&vec![1i32; N])?;
                let mut out = device.upload(&vec![0i32; N])?;
                done(device, how, $kernel(&mut out, &input).over(N).block(256))
            },
        }
    };
}

/// Launches of kernels `(a, b, c, n, offset)`; each block has all its elements, and no warp is cut.
macro_rules! offset {
    ($name:literal, $kernel:ident, $offset:literal, $threads:expr) => {
        Measured {
            name: $name,
            launch: |device, how| {
                let (a, b) = (device.upload(&vec![1.0f32; 2 * N])?, device.upload(&vec![2.0f32; 2 * N])?);
                let mut c = device.upload(&vec![0.0f32; 2 * N])?;
                done(device, how, $kernel(&a, &b, &mut c, 2 * N as u32, $offset).over($threads).block(256))
            },
        }
    };
}

macro_rules! divergent {
    ($kernel:ident) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let mut c = device.upload(&vec![0.0f32; N])?;
                done(device, how, $kernel(&mut c).over(N).block(64))
            },
        }
    };
}

macro_rules! long {
    ($kernel:ident) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let mut c = device.upload(&vec![0.0f32; N])?;
                done(device, how, $kernel(&mut c, 6).over(N).block(64))
            },
        }
    };
}

macro_rules! vectors {
    ($name:literal, $kernel:ident, $vector:ident, $stride:literal, $group:literal) => {
        Measured {
            name: $name,
            launch: |device, how| {
                let mut out = device.upload(&[$vector::splat(0.0); 32])?;
                done(device, how, $kernel(&mut out, $stride, $group).grid(1).block(32))
            },
        }
    };
}

macro_rules! quads {
    ($name:literal, $stride:literal) => {
        Measured {
            name: $name,
            launch: |device, how| {
                let input = device.upload(&vec![F32x4::splat(1.0); $stride * N])?;
                let mut out = device.upload(&vec![F32x4::splat(0.0); N])?;
                done(device, how, copy_quads(&mut out, &input, $stride).over(N).block(256))
            },
        }
    };
}

macro_rules! counted {
    ($name:literal, $bins:literal) => {
        Measured {
            name: $name,
            launch: |device, how| {
                let mut bins = device.upload(&[0u32; $bins])?;
                done(device, how, count_into(&mut bins, $bins - 1).over(N).block(256))
            },
        }
    };
}

macro_rules! multiplied {
    ($kernel:ident) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let (x, mut y) = (device.upload(&vec![1.0f32; N])?, device.upload(&vec![2.0f32; N])?);
                done(device, how, $kernel(&x, &mut y, 3.0).over(N).block(256))
            },
        }
    };
}

macro_rules! rounds {
    ($kernel:ident) => {
        Measured {
            name: stringify!($kernel),
            launch: |device, how| {
                let (x, mut y) = (device.upload(&vec![1.0f32; N])?, device.upload(&vec![2.0f32; N])?);
                done(device, how, $kernel(&x, &mut y, 6).over(N).block(256))
            },
        }
    };
}

/// Every launch, by what it shows; those of one kernel in the order in which a profiler is to see them.
pub fn groups() -> [(&'static str, Vec<Measured>); 6] {
    [
        ("Divergence", divergence()),
        ("Access patterns of global memory", access()),
        ("Transposes", ladder()),
        ("Layouts of shared memory", tiles()),
        ("Widths and atomics", widths()),
        ("Operations and branches", operations()),
    ]
}

/// Every launch, in the same order.
pub fn all() -> Vec<Measured> {
    groups().into_iter().flat_map(|(_, launches)| launches).collect()
}

/// Divergent branches.
fn divergence() -> Vec<Measured> {
    vec![divergent!(math_kernel1), divergent!(math_kernel2), divergent!(math_kernel3)]
}

/// Launches that are measured once more by themselves: the short branches of the course, compiled without optimisation,
/// which leaves them branches, and long ones, which stay branches with it.
pub fn branches() -> Vec<Measured> {
    let mut launches = divergence();
    launches.extend([long!(long_math_kernel1), long!(long_math_kernel2), long!(long_math_kernel3)]);
    launches
}

/// Access patterns of global memory.
fn access() -> Vec<Measured> {
    vec![
        copied!(copy),
        copied!(copy_ldg),
        copied!(copy_restrict),
        offset!("write_offset@0", write_offset, 0, N),
        offset!("write_offset@11", write_offset, 11, N),
        offset!("write_offset@128", write_offset, 128, N),
        offset!("read_offset@0", read_offset, 0, N),
        offset!("read_offset@11", read_offset, 11, N),
        offset!("read_offset@128", read_offset, 128, N),
        offset!("read_offset_unroll4@11", read_offset_unroll4, 11, N / 4),
        Measured {
            name: "array_of_structure",
            launch: |device, how| {
                let data = device.upload(&vec![Float2 { x: 1.0, y: 2.0 }; N])?;
                let mut out = device.upload(&vec![Float2 { x: 0.0, y: 0.0 }; N])?;
                done(device, how, array_of_structure(&data, &mut out, N as u32).over(N))
            },
        },
        Measured {
            name: "array_of_cuda_float2",
            launch: |device, how| {
                let data = device.upload(&vec![F32x2::splat(1.0); N])?;
                let mut out = device.upload(&vec![F32x2::splat(0.0); N])?;
                done(device, how, array_of_cuda_float2(&data, &mut out, N as u32).over(N))
            },
        },
        Measured {
            name: "structure_of_array",
            launch: |device, how| {
                let (x, y) = (device.upload(&vec![1.0f32; N])?, device.upload(&vec![2.0f32; N])?);
                let (mut p, mut q) = (device.upload(&vec![0.0f32; N])?, device.upload(&vec![0.0f32; N])?);
                done(device, how, structure_of_array(&x, &y, &mut p, &mut q, N as u32).over(N))
            },
        },
    ]
}

/// The transposes.
fn ladder() -> Vec<Measured> {
    const BLOCK: [u32; 2] = [32, 8];
    const TILE: [u32; 2] = [TILE_DIM, TILE_DIM];
    const FLAT: [u32; 2] = [32, 16];
    vec![
        turned!(copy_row, BLOCK, BLOCK, 0),
        turned!(copy_col, BLOCK, BLOCK, 0),
        turned!(transpose_naive_row, BLOCK, BLOCK, 0),
        turned!(transpose_naive_col, BLOCK, BLOCK, 0),
        turned!(transpose_unroll4_row, [16, 16], [64, 16], 0),
        turned!(transpose_unroll4_col, [16, 16], [64, 16], 0),
        turned!(transpose_diagonal_row, BLOCK, BLOCK, 0),
        turned!(transpose_diagonal_col, BLOCK, BLOCK, 0),
        turned!(transpose_smem, BLOCK, TILE, 0),
        turned!(transpose_smem_pad, BLOCK, TILE, 0),
        turned!(transpose_smem_dyn, FLAT, FLAT, 4 * 32 * 16),
        turned!(transpose_smem_pad_dyn, FLAT, FLAT, 4 * (32 + PAD) * 16),
        turned!(transpose_smem_unroll_pad, [BDIMX, BDIMY], [2 * BDIMX, BDIMY], 0),
    ]
}

/// Layouts of shared memory.
fn tiles() -> Vec<Measured> {
    use layout::{BDIMX, BDIMY, PAD, RECT_BDIMY};
    vec![
        tile!(set_row_read_row, BDIMY, 0),
        tile!(set_col_read_col, BDIMY, 0),
        tile!(set_row_read_col, BDIMY, 0),
        tile!(set_row_read_col_dyn, BDIMY, BDIMX),
        tile!(set_row_read_col_pad, BDIMY, 0),
        tile!(set_row_read_col_dyn_pad, BDIMY, BDIMX + PAD),
        tile!(set_row_read_row_rect, RECT_BDIMY, 0),
        tile!(set_col_read_col_rect, RECT_BDIMY, 0),
        tile!(set_row_read_col_rect, RECT_BDIMY, 0),
        tile!(set_row_read_col_dyn_rect, RECT_BDIMY, BDIMX),
        tile!(set_row_read_col_pad_rect, RECT_BDIMY, 0),
    ]
}

/// Accesses of 64 and 128 bits, and atomics.
fn widths() -> Vec<Measured> {
    vec![
        vectors!("shared_pairs@side_by_side", shared_pairs, F32x2, 1, 1),
        vectors!("shared_pairs@every_other", shared_pairs, F32x2, 2, 1),
        vectors!("shared_pairs@two_lanes_each", shared_pairs, F32x2, 1, 2),
        vectors!("shared_pairs@four_lanes_each", shared_pairs, F32x2, 1, 4),
        vectors!("shared_pairs@broadcast", shared_pairs, F32x2, 0, 1),
        vectors!("shared_quads@side_by_side", shared_quads, F32x4, 1, 1),
        vectors!("shared_quads@every_other", shared_quads, F32x4, 2, 1),
        vectors!("shared_quads@two_lanes_each", shared_quads, F32x4, 1, 2),
        vectors!("shared_quads@four_lanes_each", shared_quads, F32x4, 1, 4),
        vectors!("shared_quads@broadcast", shared_quads, F32x4, 0, 1),
        quads!("copy_quads@side_by_side", 1),
        quads!("copy_quads@every_other", 2),
        counted!("count_into@1", 1),
        counted!("count_into@8", 8),
        counted!("count_into@1024", 1024),
    ]
}

/// Operations of floats, and branches that stay branches.
fn operations() -> Vec<Measured> {
    vec![
        multiplied!(contracted),
        multiplied!(apart),
        multiplied!(fused),
        Measured {
            name: "uneven_rounds",
            launch: |device, how| {
                let rounds: Vec<u32> = (0..N as u32).map(|i| i % 5).collect();
                let (rounds, x) = (device.upload(&rounds)?, device.upload(&[1.0f32; 8])?);
                let mut y = device.upload(&vec![2.0f32; N])?;
                done(device, how, uneven_rounds(&rounds, &x, &mut y).over(N).block(256))
            },
        },
        rounds!(parted),
        rounds!(parted_by_warps),
    ]
}
