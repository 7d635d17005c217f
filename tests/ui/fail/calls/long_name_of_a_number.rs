use warpsmith::prelude::*;

#[gpu_fn]
fn twice(x: u64) -> u64 {
    u64::interleaved_with_zeros(x)
}

fn main() {}
