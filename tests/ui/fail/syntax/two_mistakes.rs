use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let text = "hello";
    let part = &y[1..3];
}

fn main() {
    let _ = kernel::cuda_source();
}
