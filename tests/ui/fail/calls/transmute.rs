use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [u32]) {
    y[0] = unsafe { std::mem::transmute::<f32, u32>(x[0]) };
}

fn main() {}
