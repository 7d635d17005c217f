use warpsmith::prelude::*;

#[gpu_kernel]
fn relu<T: Num>(x: &[T], y: &mut [T]) {
    let i = global_id();
    if x[i] > 0 {
        y[i] = x[i];
    }
}

fn main() {}
