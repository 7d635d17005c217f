use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = __ballot_sync(0xffff_ffff, y[0] > 1);
}

fn main() {}
