use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [i32]) {
    let n: int = 1;
    y[0] = n;
}

fn main() {}
