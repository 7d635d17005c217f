use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(a: T, y: &mut [u32]) {
    y[0] = a as u32;
}

fn main() {}
