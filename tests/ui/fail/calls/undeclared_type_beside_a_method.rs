use warpsmith::prelude::*;

#[gpu_fn]
fn ones(x: u64) -> u64 {
    u64::count_ones(x) as u64 + Unknown::new(x)
}

fn main() {}
