use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let i = thread_idx().x;
    if i < y.len() {
        y[i] = 1;
    }
}

fn main() {}
