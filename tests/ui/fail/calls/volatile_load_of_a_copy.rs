use warpsmith::prelude::*;

#[gpu_static]
static COUNT: u32 = 0;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    while volatile_load(&COUNT.get()) == 0 {}
    y[0] = 1;
}

fn main() {}
