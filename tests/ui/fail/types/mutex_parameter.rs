use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(m: std::sync::Mutex<u32>, y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
