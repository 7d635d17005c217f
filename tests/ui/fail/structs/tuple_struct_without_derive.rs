use warpsmith::prelude::*;

struct Meters(f32);

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let length = Meters(y[0]);
    y[1] = length.0;
}

fn main() {}
