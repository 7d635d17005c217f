use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    {
        let total = y[0] + y[1];
    }
    y[2] = total;
}

fn main() {}
