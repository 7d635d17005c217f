//! Times products of `bf16` matrices by tensor cores on a GPU, in bursts and sustained, in turns with each other.
//!
//! Prints `ours NAME_SIZE_MODE VALUE TFLOP/s`. A burst is ten launches after a rest, in which the clock is as high as it gets;
//! sustained are launches without a rest, under the limit of power, for some 60 ms of each kernel in turn. Inputs are random:
//! zeros take less power. Arguments are sizes, as `4096`, and parts of names, as `late`. With `serve` it reads
//! `NAME SIZE GROUPS` from its input, line by line, and answers with the milliseconds of a launch: `turns.py` lets it take
//! turns with cuBLAS.

mod variants;

use std::io::Write;
use std::time::Duration;

use corpus::cases::Random;
use corpus::hopper::{self, gemm_sm90};
use corpus::tensor_cores::{self, gemm_sm80};
use cudarc::driver::sys::CUevent_flags;
use variants::{ALONG, DOWN, PATCHES, SERPENTINE, variant};
use warpsmith::prelude::*;
use warpsmith::tensor_map::{Promotion, TensorOptions};
use warpsmith::{Buffer, Result};

/// Launches between two events.
const LAUNCHES: usize = 10;
/// Turns, and what those of bursts begin with a rest of.
const TURNS: usize = 15;
const REST: Duration = Duration::from_millis(300);
/// Milliseconds of work of a turn without a rest.
const TURN: f32 = 60.0;

/// A kernel, and how its launches are timed: milliseconds of one in each of some groups.
type Timed = fn(&Matrices, &mut Buffer<bf16>, &Device, usize) -> Result<Vec<f32>>;

const KERNELS: &[(&str, Timed)] = &[
    ("gemm_sm80", sm80),
    ("gemm_sm90", sm90),
    ("soon", by::<DOWN, false, false, false, 128, false, 128>),
    ("soon_serp", by::<SERPENTINE, false, false, false, 128, false, 128>),
    ("soon_pdl", by::<DOWN, false, true, false, 128, false, 128>),
    ("late", by::<DOWN, true, false, false, 128, false, 128>),
    ("late_serp", by::<SERPENTINE, true, false, false, 128, false, 128>),
    ("late_patches", by::<PATCHES, true, false, false, 128, false, 128>),
    ("late_along", by::<ALONG, true, false, false, 128, false, 128>),
    ("late_pdl", by::<DOWN, true, true, false, 128, false, 128>),
    ("late_l2", by::<DOWN, true, false, false, 128, true, 128>),
    ("late_serp_l2_pdl", by::<SERPENTINE, true, true, false, 128, true, 128>),
    ("late_132", by::<DOWN, true, false, false, 128, false, 132>),
    ("late_boxes64", by::<DOWN, true, false, false, 64, false, 128>),
    ("nn_soon", by::<DOWN, false, false, true, 64, false, 128>),
    ("nn_late", by::<DOWN, true, false, true, 64, false, 128>),
    ("nn_late_serp", by::<SERPENTINE, true, false, true, 64, false, 128>),
    ("nn_late_patches", by::<PATCHES, true, false, true, 64, false, 128>),
    ("nn_late_pdl", by::<DOWN, true, true, true, 64, false, 128>),
    ("nn_late_l2", by::<DOWN, true, false, true, 64, true, 128>),
];

fn main() -> Result<()> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "serve") {
        return serve(&device);
    }
    let (sizes, names): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.parse::<usize>().is_ok());
    let kernels: Vec<_> = KERNELS
        .iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|part| name.contains(part.as_str())))
        .collect();
    for size in [4096, 8192] {
        if sizes.is_empty() || sizes.iter().any(|word| **word == size.to_string()) {
            let matrices = Matrices::new(&device, size)?;
            matrices.compare(&device, &kernels)?;
            matrices.take_turns(&device, &kernels)?;
        }
    }
    Ok(())
}

/// Answers each line `NAME SIZE GROUPS` with the median of the later two thirds of groups of launches, in milliseconds a launch.
fn serve(device: &Device) -> Result<()> {
    let mut made: Option<(Matrices, Buffer<bf16>)> = None;
    for line in std::io::stdin().lines().map_while(std::result::Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, size, count] = words.as_slice() else { break };
        let (size, count) = (size.parse().expect("a size"), count.parse().expect("a count"));
        if made.as_ref().is_none_or(|(matrices, _)| matrices.size != size) {
            // The memory of the size before is free first.
            drop(made.take());
            made = Some((Matrices::new(device, size)?, device.alloc_zeroed(size * size)?));
        }
        let (_, run) = KERNELS.iter().find(|(known, _)| *known == name).expect("the name of a kernel");
        if let Some((matrices, c)) = &mut made {
            let times = run(matrices, c, device, count)?;
            println!("{}", median(times[count / 3..].to_vec()));
            std::io::stdout().flush().expect("an output");
        }
    }
    Ok(())
}

/// Operands: `size` rows and columns each, and the second with rows and columns exchanged.
struct Matrices {
    size: usize,
    a: Buffer<bf16>,
    b: Buffer<bf16>,
    turned: Buffer<bf16>,
}

impl Matrices {
    fn new(device: &Device, size: usize) -> Result<Matrices> {
        let mut random = Random::new("products");
        let mut matrix =
            || -> Vec<bf16> { random.floats(size * size).into_iter().map(bf16::from_f32).collect() };
        let (a, b) = (matrix(), matrix());
        let mut turned = vec![bf16::ZERO; size * size];
        for (i, x) in b.iter().enumerate() {
            turned[i % size * size + i / size] = *x;
        }
        Ok(Matrices { size, a: device.upload(&a)?, b: device.upload(&b)?, turned: device.upload(&turned)? })
    }

    /// Prints how many elements of each product differ from those by `mma.sync` by more than a rounding.
    fn compare(&self, device: &Device, kernels: &[&(&str, Timed)]) -> Result<()> {
        let product = |run: Timed| {
            let mut c = device.upload(&vec![bf16::from_f32(f32::NAN); self.size * self.size])?;
            run(self, &mut c, device, 1)?;
            device.download(&c)
        };
        let wanted = product(sm80)?;
        for (name, run) in kernels {
            let got = product(*run)?;
            let apart = got.iter().zip(&wanted).filter(|(x, y)| {
                let (x, y) = (x.to_f32(), y.to_f32());
                let near = (x - y).abs() <= x.abs() / 64.0 + 0.01;
                !near
            });
            println!("apart {name}_{} {} elements of {}", self.size, apart.count(), wanted.len());
        }
        Ok(())
    }

    /// Prints medians of bursts, and of launches without a rest.
    fn take_turns(&self, device: &Device, kernels: &[&(&str, Timed)]) -> Result<()> {
        let mut c = device.alloc_zeroed::<bf16>(self.size * self.size)?;
        let mut bursts = vec![Vec::new(); kernels.len()];
        let mut sustained = bursts.clone();
        for _ in 0..TURNS {
            for ((_, run), times) in kernels.iter().zip(&mut bursts) {
                std::thread::sleep(REST);
                // The first launches wake the clock.
                times.extend(run(self, &mut c, device, 2)?.pop());
            }
        }
        for turn in 0..2 * TURNS {
            for (((_, run), times), burst) in kernels.iter().zip(&mut sustained).zip(&bursts) {
                let count = (TURN / (median(burst.clone()) * LAUNCHES as f32)).max(3.0) as usize;
                let of_turn = run(self, &mut c, device, count)?;
                // The first turns heat the device.
                if turn >= TURNS / 2 {
                    times.push(median(of_turn[count / 3..].to_vec()));
                }
            }
        }
        for (mode, all) in [("burst", bursts), ("sustained", sustained)] {
            for ((name, _), times) in kernels.iter().zip(all) {
                let rate = 2.0 * (self.size as f64).powi(3) / f64::from(median(times)) * 1e-9;
                println!("ours {name}_{}_{mode} {rate:.1} TFLOP/s", self.size);
            }
        }
        Ok(())
    }
}

fn sm80(of: &Matrices, c: &mut Buffer<bf16>, device: &Device, count: usize) -> Result<Vec<f32>> {
    let n = of.size;
    let square = |x: &Buffer<bf16>| x.view2(n, n).is_some();
    assert!(square(&of.a) && square(&of.b), "square matrices");
    let grid = [n.div_ceil(tensor_cores::TILE) as u32; 2];
    samples(device, count, &mut || {
        let (a, b) = (of.a.view2(n, n).expect("square"), of.b.view2(n, n).expect("square"));
        let c = c.view2_mut(n, n).expect("square");
        // SAFETY: tiles and sums outside of the matrices are left out.
        unsafe { gemm_sm80::<bf16>(a, b, c).grid(grid).block(tensor_cores::THREADS).launch_unchecked(device) }
    })
}

/// Steps along K, and tiles down and across.
fn extents(n: usize) -> [u32; 3] {
    [hopper::DEPTH, hopper::ROWS, hopper::COLS].map(|of| n.div_ceil(of) as u32)
}

fn sm90(of: &Matrices, c: &mut Buffer<bf16>, device: &Device, count: usize) -> Result<Vec<f32>> {
    let n = of.size;
    let (a, b) = (of.a.tensor_map(n, n)?, of.b.tensor_map(n, n)?);
    let mut to = c.tensor_map_mut(n, n)?;
    let [steps, down, across] = extents(n);
    samples(device, count, &mut || {
        let launch = gemm_sm90(&a, &b, &mut to, steps, down, across);
        // SAFETY: the copy engine leaves out what is outside of the matrices.
        unsafe { launch.grid(hopper::BLOCKS).block(hopper::THREADS).launch_unchecked(device) }
    })
}

/// A variant by `GRID` blocks, whose operands' map lets the L2 cache fetch 256 bytes at once if `WIDE`.
fn by<
    const ORDER: u32,
    const LATE: bool,
    const EARLY: bool,
    const TURNED: bool,
    const HALF: usize,
    const WIDE: bool,
    const GRID: u32,
>(
    of: &Matrices,
    c: &mut Buffer<bf16>,
    device: &Device,
    count: usize,
) -> Result<Vec<f32>> {
    let n = of.size;
    let options = TensorOptions::new().promotion(if WIDE { Promotion::B256 } else { Promotion::B128 });
    let a = of.a.slice(..)?.tensor_map_with(n, n, options)?;
    let b = if TURNED { &of.turned } else { &of.b }.slice(..)?.tensor_map_with(n, n, options)?;
    let mut to = c.tensor_map_mut(n, n)?;
    let [steps, down, across] = extents(n);
    samples(device, count, &mut || {
        let launch = variant::<ORDER, LATE, EARLY, TURNED, HALF>(&a, &b, &mut to, steps, down, across);
        let launch = launch.grid(GRID).block(hopper::THREADS);
        let launch = if EARLY { launch.programmatic_serialization() } else { launch };
        // SAFETY: the copy engine leaves out what is outside of the matrices.
        unsafe { launch.launch_unchecked(device) }
    })
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
