use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let text = format!("{}", y[0]);
}

fn main() {}
