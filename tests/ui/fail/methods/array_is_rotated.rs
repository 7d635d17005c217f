use warpsmith::prelude::*;

#[gpu_kernel]
fn rotated(out: &mut [u32]) {
    let mut a = [out[0], 2, 3];
    a.rotate_left(1);
    out[0] = a[0];
}

fn main() {}
