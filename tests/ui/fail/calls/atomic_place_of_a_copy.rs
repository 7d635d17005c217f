use warpsmith::prelude::*;

#[gpu_static]
static COUNT: u32 = 0;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = atomic(&mut COUNT.get()).fetch_add(1, Ordering::Relaxed);
}

fn main() {}
