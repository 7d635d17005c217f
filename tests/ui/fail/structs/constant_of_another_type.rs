use warpsmith::prelude::*;

#[gpu_const]
static NAME: String = String::new();

fn main() {}
