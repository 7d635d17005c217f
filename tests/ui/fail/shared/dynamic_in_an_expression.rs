use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = dynamic_shared::<f32>()[0];
}

fn main() {}
