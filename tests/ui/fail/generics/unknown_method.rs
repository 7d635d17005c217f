use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = x[0].square();
}

fn main() {}
