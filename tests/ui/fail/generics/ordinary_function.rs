use warpsmith::prelude::*;

fn square<T: Num>(a: T) -> T {
    a * a
}

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = square(x[0]);
}

fn main() {}
