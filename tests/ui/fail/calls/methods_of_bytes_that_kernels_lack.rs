use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u8]) {
    y[2].make_ascii_uppercase();
}

fn main() {}
