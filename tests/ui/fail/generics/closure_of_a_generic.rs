use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    let double = |v: T| v + v;
    y[0] = double(2.0);
}

fn main() {}
