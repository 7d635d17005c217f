use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    fn one(x: f32) -> u32 {
        x
    }
    y[0] = one(2.0);
}

fn main() {}
