use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let longest;
    {
        let n = y[0];
        longest = &n;
    }
    y[1] = *longest;
}

fn main() {}
