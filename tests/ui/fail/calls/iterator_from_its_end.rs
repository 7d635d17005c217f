use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let mut all = x.iter();
    y[1] = *all.next_back().unwrap();
}

fn main() {}
