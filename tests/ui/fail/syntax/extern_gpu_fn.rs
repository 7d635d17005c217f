use warpsmith::prelude::*;

#[gpu_fn]
extern "C" fn one() -> u32 {
    1
}

fn main() {}
