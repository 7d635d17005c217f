use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(y: &mut [T]) {
    let v = sync_threads();
    y[0] = v;
}

fn main() {}
