use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().map(|v| v + 1).skip(2).zip(x).map(|(a, b)| a * b).sum();
    y[1] = x.iter().zip(x.iter().map(|v| v + 1).skip(2)).map(|(a, b)| a * b).sum();
    y[2] = x.iter().map(|v| v + 1).skip(2).rev().max().unwrap();
}

fn main() {}
