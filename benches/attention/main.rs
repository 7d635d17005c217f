//! Times attention by warpgroups on a GPU: 16,384 tokens of 16 heads, in sequences of 4,096 or of all.
//!
//! Prints `apart NAME_TOKENS COUNT`, the number of elements that differ from the host's, and `ours NAME_TOKENS_MODE VALUE
//! TFLOP/s`. Arguments select numbers of tokens, and names such as `d128_causal`. With `serve` it reads lines `NAME TOKENS
//! GROUPS` from its input and answers each with the milliseconds of a launch. `turns.py attention` uses that to time it in
//! turns with cuDNN and FlashAttention.

#[path = "../first_gpu.rs"]
mod first_gpu;
#[path = "../turns.rs"]
mod turns;

use corpus::attention::{Heads, THREADS, attention};
use corpus::cases::Random;
use first_gpu::first_gpu;
use turns::{Result, Timed, Unit, samples, serve, take_turns};
use warpsmith::Buffer;
use warpsmith::prelude::*;

/// Tokens of all sequences, and heads of each.
const TOKENS: usize = 16_384;
const HEADS: usize = 16;
/// Bytes of keys and values that blocks work on at a time.
const NEAR: usize = 32 << 20;

/// Launches a kernel with sequences of a number of tokens, in a number of groups of launches, and returns the milliseconds
/// of each group.
type Launch = fn(&mut Inputs, &Device, usize, usize) -> Result<Vec<f32>>;

/// The name of each kernel, its elements of a head of a token, whether it is causal, and its launch.
const KERNELS: [(&str, usize, bool, Launch); 4] = [
    ("d128_full", 128, false, run::<128, false>),
    ("d128_causal", 128, true, run::<128, true>),
    ("d64_full", 64, false, run::<64, false>),
    ("d64_causal", 64, true, run::<64, true>),
];

fn main() -> Result<()> {
    let Some(device) = first_gpu() else { return Ok(()) };
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut inputs = Inputs::new(&device)?;
    let find = |name: &str| KERNELS.iter().find(|(known, ..)| *known == name);
    if words.iter().any(|word| word == "serve") {
        return serve(|name, tokens, count| {
            let (.., launch) = find(name).ok_or_else(|| format!("no kernel is called {name}"))?;
            launch(&mut inputs, &device, tokens, count)
        });
    }
    let asked = |word: String| words.is_empty() || words.contains(&word);
    for tokens in [4096, TOKENS] {
        for (name, d, causal, launch) in KERNELS {
            if !words.is_empty() && !asked(tokens.to_string()) && !asked(name.to_owned()) {
                continue;
            }
            launch(&mut inputs, &device, tokens, 1)?;
            println!("apart {name}_{tokens} {}", inputs.apart(&device, tokens, d, causal)?);
            let work = work(tokens, d, causal);
            let run = Box::new(|count| launch(&mut inputs, &device, tokens, count));
            take_turns(&mut [Timed { name: format!("{name}_{tokens}"), work, unit: Unit::Teraflops, run }])?;
        }
    }
    Ok(())
}

/// Operations of a launch: two products with `tokens` rows each, of which causal attention does one half.
fn work(tokens: usize, d: usize, causal: bool) -> f64 {
    let scores = (TOKENS * HEADS) as f64 * tokens as f64 / if causal { 2.0 } else { 1.0 };
    4.0 * scores * d as f64
}

/// Queries, keys and values, with room for 128 elements of each head of a token, and the results.
struct Inputs {
    q: Buffer<bf16>,
    k: Buffer<bf16>,
    v: Buffer<bf16>,
    out: Buffer<bf16>,
    lse: Buffer<f32>,
    next: Buffer<u32>,
    grid: u32,
}

impl Inputs {
    fn new(device: &Device) -> Result<Inputs> {
        let rows = TOKENS * HEADS;
        let mut random = Random::new("attention");
        let mut matrix = || -> Result<Buffer<bf16>> {
            let numbers: Vec<bf16> = random.floats(rows * 128).into_iter().map(bf16::from_f32).collect();
            Ok(device.upload(&numbers)?)
        };
        Ok(Inputs {
            q: matrix()?,
            k: matrix()?,
            v: matrix()?,
            out: device.alloc_zeroed(rows * 128)?,
            lse: device.alloc_zeroed(rows)?,
            next: device.alloc_zeroed(1)?,
            grid: device.limits().multiprocessors,
        })
    }

    /// The number of elements that differ from the host's, in some rows of the result.
    fn apart(&self, device: &Device, tokens: usize, d: usize, causal: bool) -> Result<usize> {
        let numbers = |x: &Buffer<bf16>| -> Result<Vec<f32>> {
            Ok(device.download(x)?.into_iter().map(bf16::to_f32).collect())
        };
        let (q, k, v, out) = (numbers(&self.q)?, numbers(&self.k)?, numbers(&self.v)?, numbers(&self.out)?);
        let mut apart = 0;
        for row in (0..TOKENS * HEADS).step_by(4099) {
            let keys = row / tokens * tokens..if causal { row + 1 } else { row / tokens * tokens + tokens };
            let dot = |j: usize| -> f32 { (0..d).map(|i| q[row * d + i] * k[j * d + i]).sum() };
            let weights: Vec<f32> = keys.clone().map(|j| (dot(j) / (d as f32).sqrt()).exp()).collect();
            let sum: f32 = weights.iter().sum();
            for i in 0..d {
                let parts = weights.iter().zip(keys.clone()).map(|(w, j)| w * v[j * d + i] / sum);
                let (wanted, size) =
                    parts.fold((0.0, 0.0), |(all, size), part| (all + part, size + part.abs()));
                // Weights and the result are rounded to eight bits.
                let near = (out[row * d + i] - wanted).abs() <= 0.0002 + (wanted.abs() + size) / 256.0;
                apart += usize::from(!near);
            }
        }
        Ok(apart)
    }
}

fn run<const D: usize, const CAUSAL: bool>(
    of: &mut Inputs,
    device: &Device,
    tokens: usize,
    count: usize,
) -> Result<Vec<f32>> {
    let rows = TOKENS * HEADS;
    let near = (NEAR / (4 * tokens * D)).clamp(1, rows / tokens) as u32;
    let heads = Heads { count: (rows / tokens) as u32, sharing: 1, near, tokens: tokens as u32 };
    let scale = 1.0 / (D as f32).sqrt();
    let (q, k, v) = (of.q.slice(..rows * D)?, of.k.slice(..rows * D)?, of.v.slice(..rows * D)?);
    let (q, k, v) = (q.tensor_map(rows, D)?, k.tensor_map(rows, D)?, v.tensor_map(rows, D)?);
    let out = of.out.slice_mut(..rows * D)?;
    let mut to = out.tensor_map_mut(rows, D)?;
    samples(device, count, &mut || {
        let launch = attention::<D, CAUSAL>(&q, &k, &v, &mut to, &mut of.lse, &mut of.next, heads, scale);
        // SAFETY: rows of `lse` are those of `q`, and `next` has an element.
        unsafe { launch.grid(of.grid).block(THREADS).launch_unchecked(device) }
    })
}
