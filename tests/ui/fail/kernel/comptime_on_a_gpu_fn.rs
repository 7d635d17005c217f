use warpsmith::prelude::*;

#[gpu_fn]
fn one(#[comptime] n: u32) -> u32 {
    n
}

fn main() {}
