use warpsmith::prelude::*;

#[gpu_fn(cuda = "return x;", touches(x))]
fn same(x: u32) -> u32 {
    x
}

fn main() {}
