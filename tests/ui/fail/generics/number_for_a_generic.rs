use warpsmith::prelude::*;

#[gpu_kernel]
fn fill<T: Num>(y: &mut [T], n: u32) {
    y[0] = n;
}

fn main() {}
