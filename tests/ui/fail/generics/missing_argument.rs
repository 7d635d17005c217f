use warpsmith::prelude::*;

#[gpu_fn]
fn add<T: Num>(a: T, b: T) -> T {
    a + b
}

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = add(x[0]);
}

fn main() {}
