use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    let total = x[0];
    for i in 0..4 {
        total += x[i];
    }
    y[0] = total;
}

fn main() {}
