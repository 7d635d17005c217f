use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32], #[compile_time] n: u32) {
    y[0] = n;
}

fn main() {}
