//! Bandwidth between host and GPU by kind of host memory, and what kernels get from each.
//!
//! Prints `figure NAME VALUE UNIT` lines: medians of nine. Results are checked before they are timed.

use std::time::Instant;

use warpsmith::host_memory::Pinned;
use warpsmith::prelude::*;

/// c[i] = a[i] + b[i]
#[gpu_kernel]
fn added(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_id();
    if i < a.len() && i < b.len() && i < c.len() {
        c[i] = a[i] + b[i];
    }
}

/// Adds one to each element of a matrix, a row a block.
#[gpu_kernel]
fn rows_incremented(mut m: ViewMut2<'_, f32>) {
    let row = block_idx().x as usize;
    let mut col = thread_idx().x as usize;
    while row < m.rows() && col < m.cols() {
        m[(row, col)] += 1.0;
        col += block_dim().x as usize;
    }
}

/// Elements of a copy: 256 MiB.
const N: usize = 1 << 26;

fn main() -> warpsmith::Result<()> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
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

/// Matrix addition with all three matrices in one kind of memory.
fn additions(device: &Device) -> warpsmith::Result<()> {
    let bytes = 3 * N * size_of::<f32>();
    let (a, b) = (device.upload(&vec![1.0f32; N])?, device.upload(&vec![2.0f32; N])?);
    let mut c = device.alloc_zeroed::<f32>(N)?;
    let add = || added(&a, &b, &mut c).over(N).launch(device);
    bandwidth("addition_in_device_memory", bytes, timed(device, add)?);
    let (mut a, mut b) =
        (device.alloc_pinned(N, Pinned::default())?, device.alloc_pinned(N, Pinned::default())?);
    let mut c = device.alloc_pinned::<f32>(N, Pinned::default())?;
    a.host_mut()?.fill(1.0f32);
    b.host_mut()?.fill(2.0f32);
    bandwidth("addition_zero_copy", bytes, timed(device, || added(&a, &b, &mut c).over(N).launch(device))?);
    assert!(c.host()?.iter().all(|c| *c == 3.0));
    managed(device, bytes)
}

fn managed(device: &Device, bytes: usize) -> warpsmith::Result<()> {
    let (mut a, mut b) = (device.alloc_managed::<f32>(N)?, device.alloc_managed::<f32>(N)?);
    let mut c = device.alloc_managed::<f32>(N)?;
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
            added(&a, &b, &mut c).over(N).on(&stream).launch(device)?;
            stream.synchronize()?;
            times.push(start.elapsed().as_secs_f64());
            assert!(c.host()?.iter().all(|c| *c == 3.0));
        }
        times.sort_by(f64::total_cmp);
        bandwidth(&format!("addition_managed_{name}"), bytes, times[times.len() / 2]);
    }
    let again = timed(device, || added(&a, &b, &mut c).over(N).on(&stream).launch(device))?;
    bandwidth("addition_managed_resident", bytes, again);
    Ok(())
}

/// Rows of 4,001 elements, which are not whole cache lines.
fn pitched(device: &Device) -> warpsmith::Result<()> {
    let (rows, cols) = (16_384, 4001);
    let bytes = 2 * rows * cols * size_of::<f32>();
    let mut dense = device.alloc_zeroed::<f32>(rows * cols)?;
    let seconds = timed(device, || {
        let Some(view) = dense.view2_mut(rows, cols) else { return Ok(()) };
        rows_incremented(view).grid(rows as u32).block(256).launch(device)
    })?;
    bandwidth("rows_dense", bytes, seconds);
    let mut padded = device.alloc_pitched::<f32>(rows, cols)?;
    let run = || rows_incremented(padded.view2_mut()).grid(rows as u32).block(256).launch(device);
    bandwidth("rows_pitched", bytes, timed(device, run)?);
    assert!(padded.to_vec()?.iter().all(|x| *x == 10.0), "ten runs");
    println!("figure pitch {} bytes", padded.pitch());
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
