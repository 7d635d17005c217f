use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let r: Result<u32, String> = Ok(3);
    y[0] = 1;
}

fn main() {}
