use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(x: &[f32], y: &mut [f32]) {
    for i in 0..N {
        y[i] = x[j];
    }
}

fn main() {}
