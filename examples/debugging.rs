//! A kernel with a mistake, to try tools on: which line of Rust do they name?
//!
//! `cargo run --release --example debugging [race | bounds | uninitialised | right]`, under a tool as
//! the reference's chapter on tools shows.

use warpsmith::prelude::*;

const BLOCK: u32 = 256;

/// Sums each block's part of `x` into `sums`; without `barrier`, threads add what others may not have
/// stored yet.
#[gpu_kernel]
fn block_sum(x: &[f32], sums: &mut [f32], #[comptime] barrier: bool) {
    let mut shared = shared!([f32; 256]);
    let t = thread_idx().x;
    shared[t] = x[global_id()];
    let mut stride = block_dim().x / 2;
    while stride > 0 {
        if barrier {
            sync_threads();
        }
        if t < stride {
            shared[t] += shared[t + stride];
        }
        stride /= 2;
    }
    if t == 0 {
        sums[block_idx().x] = shared[0];
    }
}

/// Reads one element behind the end in the last block.
#[gpu_kernel]
fn shift(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = x[i + 1];
    }
}

/// Stores in half of the memory, and reads all of it.
#[gpu_kernel]
fn half_filled(y: &mut [f32]) {
    let mut shared = shared!([f32; 256]);
    let t = thread_idx().x;
    if t.is_multiple_of(2) {
        shared[t] = 1.0;
    }
    sync_threads();
    y[t] = shared[t];
}

fn main() -> warpsmith::Result<()> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "right".into());
    let gpu = Device::open()?;
    let n = 4 * BLOCK as usize;
    let x = gpu.upload(&vec![1.0f32; n])?;
    let mut y = gpu.upload(&vec![0.0f32; n])?;
    match what.as_str() {
        "race" | "right" => block_sum(&x, &mut y, what == "right").grid(4).block(BLOCK).launch(&gpu)?,
        "uninitialised" => half_filled(&mut y).grid(1).block(BLOCK).launch(&gpu)?,
        // SAFETY: not at all: this is the mistake that compute-sanitizer is to find.
        "bounds" => unsafe { shift(&x, &mut y).over(n).block(BLOCK).launch_unchecked(&gpu)? },
        other => println!("`{other}` is none of race, bounds, uninitialised, right"),
    }
    println!("on {}: {:?}", gpu.name(), &gpu.download(&y)?[..4]);
    Ok(())
}
