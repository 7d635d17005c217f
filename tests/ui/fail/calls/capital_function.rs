use warpsmith::prelude::*;

#[gpu_fn]
#[allow(non_snake_case)]
fn Double(x: u32) -> u32 {
    x * 2
}

fn main() {}
