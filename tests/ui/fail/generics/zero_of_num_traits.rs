use warpsmith::prelude::*;

#[gpu_kernel]
fn zero<T: Num>(y: &mut [T]) {
    y[global_id()] = T::zero();
}

fn main() {}
