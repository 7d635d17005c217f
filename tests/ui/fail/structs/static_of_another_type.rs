use warpsmith::prelude::*;

#[gpu_static]
static PAIR: (u32, f32) = (1, 2.0);

fn main() {}
