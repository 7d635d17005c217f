use warpsmith::prelude::*;

#[gpu_static]
static COUNT: u32 = 0;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = atomic_add(&mut COUNT.get(), 1);
}

fn main() {}
