use warpsmith::prelude::*;

#[gpu_fn]
fn first<T: Num>(x: &[T]) -> T {
    x[0]
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = first::<u32, 4>(y);
}

fn main() {}
