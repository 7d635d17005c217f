use warpsmith::prelude::*;

#[gpu_fn(ptx = "selp.u32 {ret}, 1, 0, {x};", pure)]
fn one(x: bool) -> u32 {
    x as u32
}

fn main() {}
