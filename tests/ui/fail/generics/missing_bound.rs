use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn main() {}
