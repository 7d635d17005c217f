use warpsmith::prelude::*;

#[gpu_static]
static mut COUNT: u32 = 0;

fn main() {}
