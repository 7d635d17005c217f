//! Copies in, computes and copies out in pieces: on one stream, and on four that overlap.
//!
//! Prints the time of both and the gain. On the simulator nothing overlaps.

use warpsmith::host_memory::Pinned;
use warpsmith::prelude::*;

/// y[i] = x[i] after `steps` steps of a recurrence.
#[gpu_kernel]
fn iterated(x: &[f32], y: &mut [f32], steps: u32) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        let mut v = x[i];
        for _ in 0..steps {
            v = v * 0.999 + 0.001;
        }
        y[i] = v;
    }
}

/// Pieces of the work.
const PIECES: usize = 16;
/// Streams that share it.
const STREAMS: usize = 4;

fn main() -> warpsmith::Result<()> {
    let device = Device::open()?;
    let (n, steps) = if device.is_simulator() { (1 << 12, 4) } else { (1 << 26, 400) };
    let mut host_in = device.alloc_pinned::<f32>(n, Pinned::default())?;
    let mut host_out = device.alloc_pinned::<f32>(n, Pinned::default())?;
    for (i, x) in host_in.host_mut()?.iter_mut().enumerate() {
        *x = i as f32 / n as f32;
    }
    let mut x = device.alloc_zeroed::<f32>(n)?;
    let mut y = device.alloc_zeroed::<f32>(n)?;
    let streams = (0..STREAMS).map(|_| device.stream()).collect::<warpsmith::Result<Vec<Stream>>>()?;
    let mut run = |streams: &[Stream]| -> warpsmith::Result<f64> {
        device.synchronize()?;
        let start = std::time::Instant::now();
        let piece = n / PIECES;
        for k in 0..PIECES {
            let (stream, part) = (&streams[k % streams.len()], k * piece..(k + 1) * piece);
            stream.copy(host_in.slice(part.clone())?, x.slice_mut(part.clone())?)?;
            let (from, to) = (x.slice(part.clone())?, y.slice_mut(part.clone())?);
            iterated(from, to, steps).over(piece).on(stream).launch(&device)?;
            stream.copy(y.slice(part.clone())?, host_out.part_mut().slice_mut(part)?)?;
        }
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    run(&streams)?; // compiles
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let one = median((0..9).map(|_| run(&streams[..1])).collect::<warpsmith::Result<_>>()?);
    let four = median((0..9).map(|_| run(&streams)).collect::<warpsmith::Result<_>>()?);
    let expected = |x: f32| (0..steps).fold(x, |v, _| v.mul_add(0.999, 0.001));
    let (input, output) = (host_in.host()?, host_out.host()?);
    let close = |(x, y): (&f32, &f32)| (expected(*x) - y).abs() < 1e-4;
    assert!(input.iter().zip(output).step_by(997).all(close), "the pieces are wrong");
    println!("{n} elements in {PIECES} pieces on {}", device.name());
    if device.is_simulator() {
        println!("nothing overlaps here: the results are right, and times mean nothing");
        return Ok(());
    }
    println!("figure one_stream {one:.3} ms");
    println!("figure {STREAMS}_streams {four:.3} ms");
    println!("figure overlap_gain {:.2} times", one / four);
    Ok(())
}
