use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: T, y: &mut [T]) {
    let a: U = x;
    y[0] = a;
}

fn main() {}
