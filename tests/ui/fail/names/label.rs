use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    for i in 0..4u32 {
        y[0] = i;
        break 'outer;
    }
}

fn main() {}
