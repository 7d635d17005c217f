use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[2] = match x {
        [c, _] => *c,
    };
}

fn main() {}
