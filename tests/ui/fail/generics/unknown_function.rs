use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = lerp2(x[0], x[1]);
}

fn main() {}
