//! Times products of `bf16` matrices by tensor cores on a GPU, in bursts and sustained; `products.py` times cuBLAS the same way.
//!
//! Prints `ours NAME_SIZE_MODE VALUE TFLOP/s`. A burst is ten launches after a rest, in which the clock is as high as it gets;
//! sustained are launches without a rest for two seconds, of which the second one counts, under the limit of power. Inputs are
//! random: zeros take less power. An argument, as `4096`, is the only size.

use std::time::Duration;

use corpus::cases::Random;
use corpus::hopper::{self, gemm_sm90};
use corpus::tensor_cores::{self, gemm_sm80};
use cudarc::driver::sys::CUevent_flags;
use warpsmith::prelude::*;
use warpsmith::{Buffer, Result};

/// Launches between two events.
const LAUNCHES: usize = 10;
/// Bursts, and what they begin with a rest of.
const BURSTS: usize = 15;
const REST: Duration = Duration::from_millis(300);
/// Milliseconds of work without a rest.
const SUSTAINED: f32 = 2000.0;

fn main() -> Result<()> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
    let only: Option<usize> = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    [4096, 8192].into_iter().filter(|size| only.is_none_or(|only| only == *size)).try_for_each(|size| {
        let mut random = Random::new("products");
        let mut matrix =
            || -> Vec<bf16> { random.floats(size * size).into_iter().map(bf16::from_f32).collect() };
        let product = Product { size, a: device.upload(&matrix())?, b: device.upload(&matrix())? };
        let by_80 = product.sm80(&device)?;
        let by_90 = product.sm90(&device)?;
        let apart = by_80.iter().zip(&by_90).filter(|(x, y)| {
            let (x, y) = (x.to_f32(), y.to_f32());
            // Each is rounded once to eight bits.
            let near = (x - y).abs() <= x.abs() / 64.0 + 0.01;
            !near
        });
        println!("apart {size} {} elements of {}", apart.count(), by_80.len());
        Ok(())
    })
}

/// Operands: `size` rows and columns each.
struct Product {
    size: usize,
    a: Buffer<bf16>,
    b: Buffer<bf16>,
}

impl Product {
    fn sm80(&self, device: &Device) -> Result<Vec<bf16>> {
        let n = self.size;
        let mut c = device.alloc_zeroed::<bf16>(n * n)?;
        let of = |x: &'_ Buffer<bf16>| x.view2(n, n).is_some();
        assert!(of(&self.a) && of(&self.b), "square matrices");
        let grid = [n.div_ceil(tensor_cores::TILE) as u32; 2];
        self.time(device, "gemm_sm80", || {
            let (a, b) = (self.a.view2(n, n).expect("square"), self.b.view2(n, n).expect("square"));
            let c = c.view2_mut(n, n).expect("square");
            // SAFETY: tiles and sums outside of the matrices are left out.
            unsafe {
                gemm_sm80::<bf16>(a, b, c).grid(grid).block(tensor_cores::THREADS).launch_unchecked(device)
            }
        })?;
        device.download(&c)
    }

    fn sm90(&self, device: &Device) -> Result<Vec<bf16>> {
        let n = self.size;
        let mut c = device.alloc_zeroed::<bf16>(n * n)?;
        let (a, b) = (self.a.tensor_map(n, n)?, self.b.tensor_map(n, n)?);
        let mut to = c.tensor_map_mut(n, n)?;
        let [steps, down, across] =
            [hopper::DEPTH, hopper::ROWS, hopper::COLS].map(|of| n.div_ceil(of) as u32);
        self.time(device, "gemm_sm90", || {
            let launch = gemm_sm90(&a, &b, &mut to, steps, down, across);
            // SAFETY: the copy engine leaves out what is outside of the matrices.
            unsafe { launch.grid(hopper::BLOCKS).block(hopper::THREADS).launch_unchecked(device) }
        })?;
        drop(to);
        device.download(&c)
    }

    /// Prints medians of bursts, and of launches without a rest.
    fn time(&self, device: &Device, name: &str, mut launch: impl FnMut() -> Result<()>) -> Result<()> {
        let rate = |ms: f32| 2.0 * (self.size as f64).powi(3) / f64::from(ms) * 1e-9;
        let print =
            |mode: &str, ms: f32| println!("ours {name}_{}_{mode} {:.1} TFLOP/s", self.size, rate(ms));
        let mut bursts = Vec::new();
        for _ in 0..BURSTS {
            std::thread::sleep(REST);
            // The first launch wakes the clock.
            bursts.extend(samples(device, 2, &mut launch)?.pop());
        }
        let burst = median(bursts);
        print("burst", burst);
        let count = (SUSTAINED / (burst * LAUNCHES as f32)).max(2.0) as usize;
        let sustained = samples(device, count, &mut launch)?.split_off(count / 2);
        print("sustained", median(sustained));
        Ok(())
    }
}

/// Milliseconds of a launch in each of `count` groups of [`LAUNCHES`], which follow each other.
fn samples(device: &Device, count: usize, launch: &mut impl FnMut() -> Result<()>) -> Result<Vec<f32>> {
    let Some(gpu) = device.as_gpu() else { return Ok(Vec::new()) };
    let record = || gpu.stream().record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).expect("an event");
    let mut events = vec![record()];
    for _ in 0..count {
        for _ in 0..LAUNCHES {
            launch()?;
        }
        events.push(record());
    }
    device.synchronize()?;
    let between = |pair: &[_]| -> f32 {
        let [from, to]: &[cudarc::driver::CudaEvent; 2] = pair.try_into().expect("two");
        from.elapsed_ms(to).expect("both are over") / LAUNCHES as f32
    };
    Ok(events.windows(2).map(between).collect())
}

fn median(mut times: Vec<f32>) -> f32 {
    times.sort_by(f32::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f32::NAN)
}
