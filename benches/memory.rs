//! Bandwidth between host and GPU by kind of host memory, and what kernels get from each.
//!
//! Prints `figure NAME VALUE UNIT` lines: medians of nine. Results are checked, those of kernels before they are timed.

mod first_gpu;

use std::time::Instant;

use corpus::vectors::sum_matrix_2d;
use cudarc::driver::sys::{self, CUdevice_attribute_enum, CUpointer_attribute_enum};
use first_gpu::first_gpu;
use warpsmith::Launch;
use warpsmith::host_memory::Pinned;
use warpsmith::prelude::*;

/// Adds one to each element of a matrix, on a two-dimensional grid.
#[gpu_kernel]
fn incremented(mut m: ViewMut2<'_, f32>) {
    let col = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let row = (block_idx().y * block_dim().y + thread_idx().y) as usize;
    if row < m.rows() && col < m.cols() {
        m[(row, col)] += 1.0;
    }
}

/// Rows and columns of the matrices that are added.
const SIDE: usize = 1 << 13;
/// Elements of a copy and of a matrix: 256 MiB.
const N: usize = SIDE * SIDE;

fn main() -> warpsmith::Result<()> {
    let Some(device) = first_gpu() else { return Ok(()) };
    copies(&device)?;
    additions(&device)?;
    pitched(&device)?;
    boxes(&device)
}

/// The median time of nine runs, in seconds, after one that is not counted.
fn timed(device: &Device, mut run: impl FnMut() -> warpsmith::Result<()>) -> warpsmith::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..10 {
        device.synchronize()?;
        let start = Instant::now();
        run()?;
        device.synchronize()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// The median time of nine launches that are queued back to back, in seconds, after one that is not counted.
fn queued(device: &Device, mut launch: impl FnMut() -> warpsmith::Result<()>) -> warpsmith::Result<f64> {
    let stream = device.default_stream();
    let mut events = Vec::new();
    for _ in 0..10 {
        let start = stream.record()?;
        launch()?;
        events.push((start, stream.record()?));
    }
    device.synchronize()?;
    let times = events[1..].iter().map(|(start, end)| start.elapsed(end));
    let mut times = times.collect::<warpsmith::Result<Vec<_>>>()?;
    times.sort();
    Ok(times[times.len() / 2].as_secs_f64())
}

fn bandwidth(name: &str, bytes: usize, seconds: f64) {
    println!("figure {name} {:.2} GB/s", bytes as f64 / seconds / 1e9);
}

fn copies(device: &Device) -> warpsmith::Result<()> {
    let bytes = N * size_of::<f32>();
    let stream = device.stream()?;
    let mut x = device.alloc_zeroed::<f32>(N)?;
    let pageable = vec![1.0f32; N];
    bandwidth("pageable_to_device", bytes, timed(device, || device.write(&mut x, &pageable))?);
    assert_eq!(device.download(&x)?[N - 1], 1.0);
    to_pageable(device, bytes)?;
    for (name, portable, write_combined) in
        [("pinned", false, false), ("portable", true, false), ("write_combined", false, true)]
    {
        let mut host = device.alloc_pinned::<f32>(N, Pinned { portable, write_combined })?;
        host.host_mut()?.fill(2.0);
        bandwidth(&format!("{name}_to_device"), bytes, timed(device, || stream.copy(&host, &mut x))?);
        bandwidth(&format!("device_to_{name}"), bytes, timed(device, || stream.copy(&x, &mut host))?);
        assert_eq!(device.download(&x)?[N - 1], 2.0);
    }
    let mut registered = device.register(pageable)?;
    bandwidth("registered_to_device", bytes, timed(device, || stream.copy(&registered, &mut x))?);
    bandwidth("device_to_registered", bytes, timed(device, || stream.copy(&x, &mut registered))?);
    assert_eq!(device.download(&x)?[N - 1], 1.0);
    Ok(())
}

/// From the device into pageable memory that is in use, and into the fresh memory of a download.
fn to_pageable(device: &Device, bytes: usize) -> warpsmith::Result<()> {
    let ones = device.upload(&vec![1.0f32; N])?;
    let fresh = timed(device, || device.download(&ones).map(drop))?;
    bandwidth("device_to_fresh_pageable", bytes, fresh);
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let mut pageable = vec![1.0f32; N];
    let zeros = gpu.stream().alloc_zeros::<f32>(N).expect("memory");
    let copy = || {
        gpu.stream().memcpy_dtoh(&zeros, &mut pageable).expect("a copy");
        Ok(())
    };
    bandwidth("device_to_pageable", bytes, timed(device, copy)?);
    assert!(pageable.iter().all(|x| *x == 0.0));
    Ok(())
}

/// `sum_matrix_2d` over square matrices, by the seed's fastest block.
fn sum<'a>(launch: Launch<'a, sum_matrix_2d>) -> Launch<'a, sum_matrix_2d> {
    launch.over_2d([SIDE, SIDE]).block([32, 16])
}

const SIDES: [u32; 2] = [SIDE as u32; 2];

/// The seed's matrix addition, with all three matrices in one kind of memory.
fn additions(device: &Device) -> warpsmith::Result<()> {
    let bytes = 3 * N * size_of::<f32>();
    let [nx, ny] = SIDES;
    let (a, b) = (device.upload(&vec![1.0f32; N])?, device.upload(&vec![2.0f32; N])?);
    let mut c = device.alloc_zeroed::<f32>(N)?;
    sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).launch(device)?;
    assert!(device.download(&c)?.iter().all(|c| *c == 3.0));
    let add = || sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).launch(device);
    bandwidth("matrix_addition_in_device_memory", bytes, queued(device, add)?);
    zero_copy(device, bytes)?;
    managed(device, bytes)
}

/// In page-locked memory of the host, which the kernel reads and writes over the bus.
fn zero_copy(device: &Device, bytes: usize) -> warpsmith::Result<()> {
    let [nx, ny] = SIDES;
    let allocate = || device.alloc_pinned::<f32>(N, Pinned::default());
    let (mut a, mut b, mut c) = (allocate()?, allocate()?, allocate()?);
    a.host_mut()?.fill(1.0f32);
    b.host_mut()?.fill(2.0f32);
    sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).launch(device)?;
    assert!(c.host()?.iter().all(|c| *c == 3.0));
    let add = || sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).launch(device);
    bandwidth("matrix_addition_zero_copy", bytes, queued(device, add)?);
    one_address(device, "zero_copy", c.host_mut()?)
}

fn managed(device: &Device, bytes: usize) -> warpsmith::Result<()> {
    let [nx, ny] = SIDES;
    let allocate = || device.alloc_managed::<f32>(N);
    let (mut a, mut b, mut c) = (allocate()?, allocate()?, allocate()?);
    let stream = device.stream()?;
    for (name, prefetch) in [("faulting", false), ("prefetched", true)] {
        let mut times = Vec::new();
        for _ in 0..5 {
            a.host_mut()?.fill(1.0);
            b.host_mut()?.fill(2.0);
            c.host_mut()?.fill(0.0);
            device.synchronize()?;
            let start = Instant::now();
            if prefetch {
                for matrix in [&a, &b, &c] {
                    matrix.prefetch_to_device(&stream)?;
                }
            }
            sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).on(&stream).launch(device)?;
            stream.synchronize()?;
            times.push(start.elapsed().as_secs_f64());
            assert!(c.host()?.iter().all(|c| *c == 3.0));
        }
        times.sort_by(f64::total_cmp);
        bandwidth(&format!("matrix_addition_managed_{name}"), bytes, times[times.len() / 2]);
    }
    let again = queued(device, || sum(sum_matrix_2d(&a, &b, &mut c, nx, ny)).launch(device))?;
    bandwidth("matrix_addition_managed_resident", bytes, again);
    one_address(device, "managed", c.host_mut()?)
}

/// Asserts that the GPU knows a matrix of the host by the host's own address, and that a kernel which gets that address
/// writes the matrix. The elements are 3.
fn one_address(device: &Device, name: &str, host: &mut [f32]) -> warpsmith::Result<()> {
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let attribute = CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING;
    if gpu.context().attribute(attribute).expect("an attribute") == 0 {
        println!("skipped: host and device have no common addresses");
        return Ok(());
    }
    let (on_host, mut on_device) = (host.as_mut_ptr(), 0u64);
    let attribute = CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    // SAFETY: a context is bound to this thread, and `on_device` is writable and as large as an address.
    let known = unsafe {
        sys::cuPointerGetAttribute((&raw mut on_device).cast(), attribute, on_host.expose_provenance() as u64)
    };
    assert_eq!((known, on_device), (sys::CUresult::CUDA_SUCCESS, on_host.addr() as u64), "{name}");
    // SAFETY: the memory has that many elements, and the host does not use it until the kernel has ended.
    let matrix = unsafe { ViewMut2::from_raw_parts(on_host, SIDE, SIDE, SIDE) };
    incremented(matrix).over_2d([SIDE, SIDE]).block([32, 16]).launch(device)?;
    device.synchronize()?;
    assert!(host.iter().all(|c| *c == 4.0), "{name}");
    println!("figure {name}_has_one_address 1 on host and device");
    Ok(())
}

/// Matrices of about 2^26 elements whose rows stand one after another, and with each row aligned; rows of 4,096 elements
/// need no alignment, those of 4,000 are whole sectors of 32 bytes but no whole cache lines, the others are neither.
fn pitched(device: &Device) -> warpsmith::Result<()> {
    for cols in [33, 1001, 4000, 4001, 4096] {
        let rows = N / cols;
        let bytes = 2 * rows * cols * size_of::<f32>();
        let shape =
            |launch: Launch<'_, incremented>| launch.over_2d([cols, rows]).block([32, 32]).launch(device);
        let mut dense = device.alloc_zeroed::<f32>(rows * cols)?;
        let mut padded = device.alloc_pitched::<f32>(rows, cols)?;
        let mut run_dense = || dense.view2_mut(rows, cols).map_or(Ok(()), |view| shape(incremented(view)));
        run_dense()?;
        bandwidth(&format!("rows_of_{cols}_dense"), bytes, queued(device, run_dense)?);
        assert!(device.download(&dense)?.iter().all(|x| *x == 11.0), "eleven runs");
        let mut run_padded = || shape(incremented(padded.view2_mut()));
        run_padded()?;
        bandwidth(&format!("rows_of_{cols}_pitched"), bytes, queued(device, run_padded)?);
        assert!(padded.to_vec()?.iter().all(|x| *x == 11.0), "eleven runs");
        println!("figure rows_of_{cols}_pitch {} bytes", padded.pitch());
    }
    Ok(())
}

/// Boxes of a volume: within the device, to page-locked memory, and to the host.
fn boxes(device: &Device) -> warpsmith::Result<()> {
    let (planes, rows, cols) = (256, 500, 501);
    let bytes = planes * rows * cols * size_of::<f32>();
    let stream = device.stream()?;
    let mut x = device.alloc_pitched_3d::<f32>(planes + 2, rows + 2, cols + 2)?;
    let mut y = device.alloc_pitched_3d::<f32>(planes + 2, rows + 2, cols + 2)?;
    let elements: Vec<f32> = (0..planes * rows * cols).map(|i| (i % 1021) as f32).collect();
    let inner = (1..=planes, 1..=rows, 1..=cols);
    let to_device =
        timed(device, || x.part_mut(inner.0.clone(), inner.1.clone(), inner.2.clone())?.write(&elements))?;
    bandwidth("box_to_device", bytes, to_device);
    let from = x.part(inner.0.clone(), inner.1.clone(), inner.2.clone())?;
    let within = timed(device, || stream.copy_box(from, y.part_mut(2.., 2.., 2..)?))?;
    bandwidth("box_within_device", 2 * bytes, within);
    assert!(y.part(2.., 2.., 2..)?.to_vec()? == elements);
    let mut host = device.alloc_pinned::<f32>(planes * rows * cols, Pinned::default())?;
    let to_host = timed(device, || stream.copy_box(from, host.part_mut().volume(planes, rows, cols)?))?;
    bandwidth("box_to_pinned", bytes, to_host);
    assert!(host.host()? == elements);
    Ok(())
}
