use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x.iter().map(|v| if *v > 0.0 { return 1.0 } else { *v }).sum();
}

fn main() {}
