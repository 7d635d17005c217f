use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    std::thread::sleep(1);
}

fn main() {}
