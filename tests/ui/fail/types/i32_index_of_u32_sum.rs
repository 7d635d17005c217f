use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let i: i32 = thread_idx().x;
    y[i] = 1;
}

fn main() {}
