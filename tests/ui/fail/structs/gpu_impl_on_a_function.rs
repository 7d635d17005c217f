use warpsmith::prelude::*;

#[gpu_impl]
fn twice(x: u32) -> u32 {
    x * 2
}

fn main() {}
