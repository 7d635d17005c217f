//! Kernels compiled ahead of time, for executables that run where there is no NVRTC.
//!
//! `cargo run --release --example ahead_of_time -- bundle kernels.bundle` compiles, where NVRTC is.
//! `cargo run --release --example ahead_of_time -- run kernels.bundle` runs from the bundle alone.
//!
//! A program that is shipped embeds the file: `aot::register(include_bytes!("kernels.bundle"))?`.

use std::error::Error;

use warpsmith::aot::{self, Bundle};
use warpsmith::cache::Cache;
use warpsmith::prelude::*;

/// y[i] = a * x[i] + y[i]
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// y[i] = y[i] to the power of `exponent`
#[gpu_kernel]
pub fn power(y: &mut [f32], #[comptime] exponent: u32) {
    let i = global_id();
    if i < y.len() {
        let base = y[i];
        let mut product = 1.0;
        for _ in 0..exponent {
            product *= base;
        }
        y[i] = product;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bundle", path] => bundle(path),
        ["run", path] => run(path),
        [] => run_without(),
        _ => Err("write `bundle FILE`, `run FILE` or nothing".into()),
    }
}

/// Compiles every kernel and specialization that `run` launches.
fn bundle(path: &str) -> Result<(), Box<dyn Error>> {
    let bundle = Bundle::new(["sm_80", "sm_90", "sm_100"])?;
    bundle.add::<saxpy>(&())?.add::<power>(&(3,))?.write(path)?;
    println!("{path}: {} bytes", std::fs::metadata(path)?.len());
    Ok(())
}

/// Launches from a bundle; an executable that embeds it has no file to read.
fn run(path: &str) -> Result<(), Box<dyn Error>> {
    aot::register(std::fs::read(path)?.leak())?;
    run_without()
}

fn run_without() -> Result<(), Box<dyn Error>> {
    let gpu = Device::open()?;
    let x = gpu.upload(&vec![1.0f32; 1000])?;
    let mut y = gpu.upload(&vec![0.5f32; 1000])?;
    saxpy(1.5, &x, &mut y).over(1000).launch(&gpu)?;
    power(&mut y, 3).over(1000).launch(&gpu)?;
    assert!(gpu.download(&y)?.iter().all(|value| *value == 8.0));
    println!("on {}: {:?}", gpu.name(), Cache::process()?.stats());
    Ok(())
}
