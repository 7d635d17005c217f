use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let v = F32x4::broadcast(y[0]);
    y[0] = v.x;
}

fn main() {}
