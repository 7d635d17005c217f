use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    std::thread::spawn(|| 1);
    y[0] = 1;
}

fn main() {}
