use warpsmith::prelude::*;

#[gpu_fn]
fn sum<T: Num>(x: &[T]) -> T {
    x[0] + x[1]
}

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = sum(x[0]);
}

fn main() {}
