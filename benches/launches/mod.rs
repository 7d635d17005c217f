//! Host cost of one launch of 0, 4, 16 and 32 arguments: plain, checked, prepared, as a graph, and by
//! cudarc's builder on the same loaded function. `peer/launches.cuh` is nvcc's `<<<>>>`.

#![allow(clippy::too_many_arguments, reason = "how many there are is what is measured")]

use std::time::Instant;

use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};
use warpsmith::codegen::Checks;
use warpsmith::launch::Prepared;
use warpsmith::prelude::*;

#[gpu_kernel]
fn of_0() {}

#[gpu_kernel]
fn of_4(a: &[f32], b: &mut [f32], n: u32, s: f32) {
    if global_id() > 1_000_000_000 {
        b[0] = a[0] * s + n as f32;
    }
}

#[gpu_kernel]
#[rustfmt::skip]
fn of_16(
    a: &[f32], b: &[f32], c: &[f32], d: &mut [f32], n0: u32, n1: u32, n2: u32, n3: u32, n4: u32, n5: u32,
    s0: f32, s1: f32, s2: f32, s3: f32, s4: f32, s5: f32,
) {
    if global_id() > 1_000_000_000 {
        let n = n0 + n1 + n2 + n3 + n4 + n5;
        d[0] = a[0] + b[0] + c[0] + n as f32 + s0 + s1 + s2 + s3 + s4 + s5;
    }
}

#[gpu_kernel]
#[rustfmt::skip]
fn of_32(
    a: &[f32], b: &[f32], c: &[f32], d: &[f32], e: &[f32], f: &[f32], g: &[f32], h: &mut [f32],
    n0: u32, n1: u32, n2: u32, n3: u32, n4: u32, n5: u32, n6: u32, n7: u32, n8: u32, n9: u32, n10: u32, n11: u32,
    s0: f32, s1: f32, s2: f32, s3: f32, s4: f32, s5: f32, s6: f32, s7: f32, s8: f32, s9: f32, s10: f32, s11: f32,
) {
    if global_id() > 1_000_000_000 {
        let n = n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9 + n10 + n11;
        let s = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;
        h[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + n as f32 + s;
    }
}

/// The call with the arguments of each kernel, over one read and one written buffer.
macro_rules! call {
    (of_0, $x:expr, $y:expr, $i:expr) => {{
        let _ = ($x, $y, $i);
        of_0()
    }};
    (of_4, $x:expr, $y:expr, $i:expr) => {
        of_4($x, $y, $i, 1.0)
    };
    (of_16, $x:expr, $y:expr, $i:expr) => {
        of_16($x, $x, $x, $y, $i, 1, 2, 3, 4, 5, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    };
    (of_32, $x:expr, $y:expr, $i:expr) => {
        of_32(
            $x, $x, $x, $x, $x, $x, $x, $y, $i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.0, 1.0, 2.0, 3.0, 4.0,
            5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0,
        )
    };
}

/// Median microseconds of host time of one launch, over rounds that never fill the queue.
fn time(
    device: &Device,
    name: &str,
    mut launch: impl FnMut(u32) -> warpsmith::Result<()>,
) -> warpsmith::Result<()> {
    let mut times = Vec::new();
    for _ in 0..100 {
        device.synchronize()?;
        let start = Instant::now();
        for i in 0..200 {
            launch(i)?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / 200.0);
    }
    times.sort_by(f64::total_cmp);
    println!("ours {name} {:.5} us", times[times.len() / 2]);
    Ok(())
}

macro_rules! ours {
    ($device:expr, $x:expr, $y:expr, $($kernel:ident $count:literal)+) => {$(
        let (device, x, y) = ($device, $x, &mut *$y);
        let name = concat!("launch_", $count);
        time(device, name, |i| {
            // SAFETY: nothing is indexed: no thread's index is that large.
            unsafe { call!($kernel, x, &mut *y, i).grid(1).block(32).launch_unchecked(device) }
        })?;
        time(device, &format!("{name}_checked"), |i| {
            call!($kernel, x, &mut *y, i).grid(1).block(32).launch(device)
        })?;
        // SAFETY: as above.
        let prepared: Prepared<$kernel> =
            unsafe { call!($kernel, x, &mut *y, 0).grid(1).block(32).prepare_unchecked(device)? };
        time(device, &format!("{name}_prepared"), |i| prepared.launch(call!($kernel, x, &mut *y, i)))?;
    )+};
}

/// Prints the costs.
pub fn run(device: &Device) -> warpsmith::Result<()> {
    let x = device.upload(&[1.0f32])?;
    let mut y = device.upload(&[1.0f32])?;
    ours!(device, &x, &mut y, of_0 "0" of_4 "4" of_16 "16" of_32 "32");
    graph_of_ten(device)?;
    theirs(device)
}

/// A graph of ten launches, of which one costs a tenth.
fn graph_of_ten(device: &Device) -> warpsmith::Result<()> {
    let mut graph = Graph::new(device);
    let x = graph.hold(device.upload(&[1.0f32])?)?;
    let y = graph.hold(device.upload(&[1.0f32])?)?;
    for i in 0..10 {
        graph.add(|memory| Ok(call!(of_4, memory.read(x)?, memory.write(y)?, i).grid(1).block(32)))?;
    }
    time(device, "launch_graph_of_10", |_| graph.launch())
}

/// cudarc's launch builder, with the parameters that the printed kernel has: a slice is two.
fn theirs(device: &Device) -> warpsmith::Result<()> {
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let (x, mut y) = (gpu.stream().clone_htod(&[1.0f32]), gpu.stream().clone_htod(&[1.0f32]));
    let (Ok(x), Ok(y)) = (&x, &mut y) else { return Ok(()) };
    let none = gpu.load::<of_0>(&(), Checks::None)?;
    time(device, "launch_0_cudarc", |_| {
        built(gpu.stream().launch_builder(none.cuda_function()));
        Ok(())
    })?;
    let four = gpu.load::<of_4>(&(), Checks::None)?;
    time(device, "launch_4_cudarc", |i| {
        let mut builder = gpu.stream().launch_builder(four.cuda_function());
        let len = 1u64;
        slices(&mut builder, x, 1, &len);
        builder.arg(&mut *y).arg(&len).arg(&i).arg(&1.0f32);
        built(builder);
        Ok(())
    })?;
    let (sixteen, thirty_two) =
        (gpu.load::<of_16>(&(), Checks::None)?, gpu.load::<of_32>(&(), Checks::None)?);
    for (name, function, count, scalars) in
        [("launch_16_cudarc", &sixteen, 3, 6), ("launch_32_cudarc", &thirty_two, 7, 12)]
    {
        time(device, name, |i| {
            let mut builder = gpu.stream().launch_builder(function.cuda_function());
            let len = 1u64;
            slices(&mut builder, x, count, &len);
            builder.arg(&mut *y).arg(&len);
            (0..scalars).for_each(|_| _ = builder.arg(&i));
            (0..scalars).for_each(|_| _ = builder.arg(&1.0f32));
            built(builder);
            Ok(())
        })?;
    }
    Ok(())
}

fn slices<'a>(
    builder: &mut cudarc::driver::LaunchArgs<'a>,
    slice: &'a CudaSlice<f32>,
    count: usize,
    len: &'a u64,
) {
    (0..count).for_each(|_| _ = builder.arg(slice).arg(len));
}

fn built(mut builder: cudarc::driver::LaunchArgs<'_>) {
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the parameters are those of the kernel, which indexes nothing.
    unsafe { builder.launch(config) }.expect("a launch of cudarc");
}
