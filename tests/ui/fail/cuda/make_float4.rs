use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let v = make_float4(1.0, 2.0, 3.0, 4.0);
    y[0] = v.x;
}

fn main() {}
