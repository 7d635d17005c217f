use warpsmith::prelude::*;

#[gpu_kernel]
fn scale<T: Num>(x: &[T], y: &mut [T]) {
    let i = global_id();
    y[i] = x[i] * 2.0;
}

fn main() {}
