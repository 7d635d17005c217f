use warpsmith::prelude::*;

fn helper(x: u32) -> u32 {
    x + 1
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    fn twice(x: u32) -> u32 {
        2 * helper(x)
    }
    y[0] = twice(y[1]);
}

fn main() {}
