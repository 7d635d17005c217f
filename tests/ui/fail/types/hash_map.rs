use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let map = std::collections::HashMap::<u32, u32>::new();
}

fn main() {}
