//! Times kernels of the corpus on a GPU: medians over launches, cold JIT, host cost of a launch.
//!
//! Prints `ours NAME VALUE UNIT` lines; `gpu.sh` puts them beside those of `peer.cu`. An argument, as
//! `launches`, runs that part alone.

mod applications;
mod domains;
mod first_gpu;
mod launches;

use std::time::Instant;

use corpus::cases::Random;
use corpus::cluster_histogram::cluster_hist;
use corpus::matmul::{SubMatrix, mat_mul_tiled};
use corpus::shared_reduction::reduce_smem_unroll_shfl;
use corpus::transpose::transpose_smem_pad;
use corpus::vectors::saxpy;
use cudarc::driver::sys::CUevent_flags;
use first_gpu::first_gpu;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;

const N: usize = 1 << 28;
const SIDE: usize = 16_384;
const PRODUCT: usize = 4096;
const BINS: usize = 16_384;

fn main() -> warpsmith::Result<()> {
    let Some(device) = first_gpu() else { return Ok(()) };
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |part: &(&str, Part)| only.as_ref().is_none_or(|only| only == part.0);
    PARTS.iter().filter(|part| wanted(part)).try_for_each(|(_, run)| run(&device))
}

type Part = fn(&Device) -> warpsmith::Result<()>;

const PARTS: [(&str, Part); 8] = [
    ("jit", jit),
    ("host_cost", host_cost),
    ("launches", launches::run),
    ("domains", |device| domains::run(device, None)),
    ("vectors", vectors),
    ("matrices", matrices),
    ("integers", integers),
    ("applications", applications::run),
];

/// Median milliseconds of a launch, by events, after three that warm up.
fn time(
    device: &Device,
    name: &str,
    mut launch: impl FnMut() -> warpsmith::Result<()>,
) -> warpsmith::Result<()> {
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let stream = gpu.stream();
    let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let mut times = Vec::new();
    for round in 0..23 {
        let start = stream.record_event(flags);
        launch()?;
        let end = stream.record_event(flags);
        device.synchronize()?;
        if let (3.., Ok(start), Ok(end)) = (round, start, end) {
            times.extend(start.elapsed_ms(&end).ok());
        }
    }
    times.sort_by(f32::total_cmp);
    println!("ours {name} {:.5} ms", times.get(times.len() / 2).copied().unwrap_or(f32::NAN));
    Ok(())
}

fn jit(device: &Device) -> warpsmith::Result<()> {
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let (major, minor) = gpu.limits().compute;
    let options = CompileOptions::new(Arch { major, minor, specific: false });
    // The first use of NVRTC loads the library; the second compile is what a kernel costs.
    nvrtc::compile("extern \"C\" __global__ void nothing() {}", "nothing", &options)?;
    let start = Instant::now();
    let source = saxpy::print(&(), &PrintOptions { checks: Checks::All, line_directives: true })?;
    let ours = start.elapsed();
    let start = Instant::now();
    nvrtc::compile(&source.complete(), "saxpy", &options)?;
    let theirs = start.elapsed();
    let start = Instant::now();
    gpu.load::<saxpy>(&(), Checks::All)?;
    let all = start.elapsed();
    println!("ours jit_print {:.5} ms", ours.as_secs_f64() * 1e3);
    println!("ours jit_nvrtc {:.5} ms", theirs.as_secs_f64() * 1e3);
    println!("ours jit_cold_whole {:.5} ms", all.as_secs_f64() * 1e3);
    Ok(())
}

/// `y[0] = n`, for the cost of launching.
#[gpu_kernel]
fn tiny(a: &[f32], y: &mut [f32], n: u32) {
    if global_id() > 1_000_000_000 {
        y[0] = a[0] + n as f32;
    }
}

/// Median microseconds of host time of one launch, over rounds that never fill the queue.
fn host_cost(device: &Device) -> warpsmith::Result<()> {
    let a = device.upload(&[1.0f32])?;
    let mut y = device.upload(&[1.0f32])?;
    let mut times = Vec::new();
    for _ in 0..50 {
        device.synchronize()?;
        let start = Instant::now();
        for n in 0..200 {
            // SAFETY: nothing is indexed: no thread's index is that large.
            unsafe { tiny(&a, &mut y, n).grid(1).block(32).launch_unchecked(device)? };
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / 200.0);
    }
    times.sort_by(f64::total_cmp);
    println!("ours launch_host {:.5} us", times[times.len() / 2]);
    Ok(())
}

fn vectors(device: &Device) -> warpsmith::Result<()> {
    let mut random = Random::new("vectors");
    let x = device.upload(&random.floats(N))?;
    let mut y = device.upload(&random.floats(N))?;
    // SAFETY: the kernel guards its index, and the slices have one length.
    time(device, "saxpy", || unsafe { saxpy(2.0, &x, &mut y).over(N).block(256).launch_unchecked(device) })?;
    time(device, "saxpy_checked", || saxpy(2.0, &x, &mut y).over(N).block(256).launch(device))
}

fn matrices(device: &Device) -> warpsmith::Result<()> {
    let mut random = Random::new("matrices");
    let input = device.upload(&random.floats(SIDE * SIDE))?;
    let mut out = device.alloc_zeroed::<f32>(SIDE * SIDE)?;
    let (n, tiles) = (SIDE as u32, SIDE as u32 / 32);
    let mut transpose = |checked: bool| {
        let launch = transpose_smem_pad(&mut out, &input, n, n).grid([tiles, tiles]).block([32, 8]);
        // SAFETY: the kernel guards its indices by the extents of the matrix.
        if checked { launch.launch(device) } else { unsafe { launch.launch_unchecked(device) } }
    };
    time(device, "transpose_smem_pad", || transpose(false))?;
    time(device, "transpose_smem_pad_checked", || transpose(true))?;
    let [mut a, mut b] = [(); 2].map(|()| random.floats(PRODUCT * PRODUCT)).map(|m| device.upload(&m));
    let mut c = device.alloc_zeroed::<f32>(PRODUCT * PRODUCT)?;
    let (a, b) = (a.as_mut(), b.as_mut());
    let (Ok(a), Ok(b)) = (a, b) else { return Ok(()) };
    let side = PRODUCT as u32;
    time(device, "mat_mul_tiled", || {
        let launch = mat_mul_tiled(square(a, side), square(b, side), square(&mut c, side));
        // SAFETY: the extents are multiples of the block's.
        unsafe { launch.over_2d([PRODUCT, PRODUCT]).block([16, 16]).launch_unchecked(device) }
    })
}

/// A square matrix over a buffer.
fn square(buffer: &mut Buffer<f32>, side: u32) -> SubMatrix<'_> {
    SubMatrix { width: side, height: side, stride: side, elements: buffer.view_mut() }
}

fn integers(device: &Device) -> warpsmith::Result<()> {
    let mut random = Random::new("integers");
    let data = device.upload(&random.ints(N, -1000, 1000))?;
    let mut sums = device.alloc_zeroed::<i32>(N / 1024)?;
    time(device, "reduce_smem_unroll_shfl", || {
        let launch = reduce_smem_unroll_shfl(&data, &mut sums, N as u32).grid(N / 1024).block(256);
        // SAFETY: the length is a multiple of what a block folds.
        unsafe { launch.launch_unchecked(device) }
    })?;
    let values = device.upload(&random.ints(N, 0, BINS as i32))?;
    let mut bins = device.alloc_zeroed::<i32>(BINS)?;
    time(device, "cluster_hist", || {
        let per_block = BINS / 2;
        let launch = cluster_hist(bins.view_mut(), BINS as i32, per_block as u32, &values);
        let launch = launch.grid(264).block(1024).cluster(2).dynamic_shared(per_block * 4);
        // SAFETY: every value is clamped to the bins.
        unsafe { launch.launch_unchecked(device) }
    })
}
