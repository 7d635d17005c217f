//! Times products of `bf16` matrices by tensor cores on a GPU, in bursts and sustained, in turns with each other.
//!
//! Prints `apart NAME_SIZE COUNT`, the number of elements that differ from those by `mma.sync`, and `ours NAME_SIZE_MODE
//! VALUE TFLOP/s`. Inputs are random, because zeros draw less power. Arguments select sizes such as `4096`, and names such
//! as `gemm_sm90_nn`. With `serve` it reads lines `NAME SIZE GROUPS` from its input and answers each with the milliseconds
//! of a launch. `turns.py products` uses that to time it in turns with cuBLAS.

#[path = "../first_gpu.rs"]
mod first_gpu;
#[path = "../turns.rs"]
mod turns;

use corpus::cases::Random;
use corpus::hopper::{self, gemm_sm90};
use corpus::tensor_cores::{self, gemm_sm80};
use first_gpu::first_gpu;
use turns::{Result, Timed, Unit, samples, serve, take_turns};
use warpsmith::Buffer;
use warpsmith::prelude::*;

/// Launches a kernel in a number of groups of launches, and returns the milliseconds of each group.
type Launch = fn(&mut Matrices, &Device, usize) -> Result<Vec<f32>>;

const KERNELS: [(&str, Launch); 3] =
    [("gemm_sm90", sm90::<false>), ("gemm_sm90_nn", sm90::<true>), ("gemm_sm80", sm80)];

fn main() -> Result<()> {
    let Some(device) = first_gpu() else { return Ok(()) };
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "serve") {
        let mut made: Option<Matrices> = None;
        return serve(|name, size, count| {
            let known = KERNELS.iter().find(|(known, _)| *known == name);
            let (_, launch) = known.ok_or_else(|| format!("no kernel is called {name}"))?;
            if made.as_ref().is_none_or(|matrices| matrices.size != size) {
                // Frees the memory of the size before first.
                drop(made.take());
            }
            let matrices = match &mut made {
                Some(matrices) => matrices,
                none => none.insert(Matrices::new(&device, size)?),
            };
            launch(matrices, &device, count)
        });
    }
    let (sizes, names): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.parse::<usize>().is_ok());
    for size in [4096, 8192] {
        if !sizes.is_empty() && !sizes.iter().any(|word| **word == size.to_string()) {
            continue;
        }
        let mut matrices = Matrices::new(&device, size)?;
        let wanted = matrices.product(&device, sm80)?;
        for (name, launch) in
            KERNELS.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
        {
            println!("apart {name}_{size} {}", apart(&matrices.product(&device, *launch)?, &wanted));
            let run = Box::new(|count| launch(&mut matrices, &device, count));
            let work = 2.0 * (size as f64).powi(3);
            take_turns(&mut [Timed { name: format!("{name}_{size}"), work, unit: Unit::Teraflops, run }])?;
        }
    }
    Ok(())
}

/// The number of elements that differ by more than a rounding.
fn apart(got: &[bf16], wanted: &[bf16]) -> usize {
    let near = |x: f32, y: f32| (x - y).abs() <= x.abs() / 64.0 + 0.01;
    got.iter().zip(wanted).filter(|(x, y)| !near(x.to_f32(), y.to_f32())).count()
}

/// Operands of `size` rows and columns each, the second one also transposed, and the result.
struct Matrices {
    size: usize,
    a: Buffer<bf16>,
    b: Buffer<bf16>,
    turned: Buffer<bf16>,
    c: Buffer<bf16>,
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
        let (a, b, turned) = (device.upload(&a)?, device.upload(&b)?, device.upload(&turned)?);
        Ok(Matrices { size, a, b, turned, c: device.alloc_zeroed(size * size)? })
    }

    /// The product by a kernel.
    fn product(&mut self, device: &Device, launch: Launch) -> Result<Vec<bf16>> {
        self.c = device.upload(&vec![bf16::from_f32(f32::NAN); self.size * self.size])?;
        launch(self, device, 1)?;
        Ok(device.download(&self.c)?)
    }
}

fn sm80(of: &mut Matrices, device: &Device, count: usize) -> Result<Vec<f32>> {
    let n = of.size;
    let grid = [n.div_ceil(tensor_cores::TILE) as u32; 2];
    samples(device, count, &mut || {
        let (a, b) = (of.a.view2(n, n).expect("square"), of.b.view2(n, n).expect("square"));
        let c = of.c.view2_mut(n, n).expect("square");
        // SAFETY: tiles and sums outside of the matrices are left out.
        unsafe { gemm_sm80::<bf16>(a, b, c).grid(grid).block(tensor_cores::THREADS).launch_unchecked(device) }
    })
}

fn sm90<const TURNED: bool>(of: &mut Matrices, device: &Device, count: usize) -> Result<Vec<f32>> {
    let n = of.size;
    let (a, b) = (of.a.tensor_map(n, n)?, if TURNED { &of.turned } else { &of.b }.tensor_map(n, n)?);
    let mut c = of.c.tensor_map_mut(n, n)?;
    let [steps, down, across] = [hopper::DEPTH, hopper::ROWS, hopper::COLS].map(|of| n.div_ceil(of) as u32);
    samples(device, count, &mut || {
        let launch = gemm_sm90::<TURNED>(&a, &b, &mut c, steps, down, across);
        // SAFETY: the copy engine leaves out what is outside of the matrices.
        unsafe { launch.grid(hopper::BLOCKS).block(hopper::THREADS).launch_unchecked(device) }
    })
}
