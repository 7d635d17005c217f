use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(x: &[T], y: &mut [T]) {
    let mut tile = shared!([f32; 32]);
    tile[0] = 0.0;
    sync_threads();
    y[0] = tile[0];
}

fn main() {}
