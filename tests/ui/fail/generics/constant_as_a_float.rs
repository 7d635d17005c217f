use warpsmith::prelude::*;

#[gpu_kernel]
fn mean<const N: usize>(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for i in 0..N {
        sum += x[i];
    }
    y[0] = sum / N;
}

fn main() {}
