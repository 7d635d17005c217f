use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32], #[comptime] n: u32) {
    y[0] = n;
}

fn run() {
    let _ = kernel::cuda_source();
}

fn main() {}
