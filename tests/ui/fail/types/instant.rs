use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let start = std::time::Instant::now();
    y[0] = 1;
}

fn main() {}
