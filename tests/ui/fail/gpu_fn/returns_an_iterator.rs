use warpsmith::prelude::*;

#[gpu_fn]
fn doubled(x: &[u32]) -> impl Iterator<Item = u32> {
    x.iter().map(|v| v * 2)
}

fn main() {}
