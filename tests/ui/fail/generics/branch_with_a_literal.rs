use warpsmith::prelude::*;

#[gpu_kernel]
fn relu<T: Num>(x: &[T], y: &mut [T]) {
    let i = global_id();
    y[i] = if x[i] > T::ZERO { x[i] } else { 0.0 };
}

fn main() {}
