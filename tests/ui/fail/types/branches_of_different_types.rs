use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v = if y[0] > 1 { 1u32 } else { 2.0f32 };
    y[1] = v as u32;
}

fn main() {}
