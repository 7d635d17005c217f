//! A kernel, its CUDA, and its results: on the first CUDA GPU, or on the simulator without one.
//!
//! `cargo run --release --example quickstart`

use warpsmith::prelude::*;

/// y[i] = a * x[i] + y[i]
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::open()?;
    let xs: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let x = gpu.upload(&xs)?;
    let mut y = gpu.upload(&vec![1.0f32; xs.len()])?;

    saxpy(2.0, &x, &mut y).over(xs.len()).block(256).launch(&gpu)?;

    println!("{}", saxpy::cuda_source()?);
    let ys = gpu.download(&y)?;
    println!("on {}: y[0..4] = {:?}, y[999] = {}", gpu.name(), &ys[..4], ys[999]);
    assert!(ys.iter().zip(&xs).all(|(y, x)| *y == 2.0 * x + 1.0));
    Ok(())
}
