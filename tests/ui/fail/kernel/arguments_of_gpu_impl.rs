use warpsmith::prelude::*;

struct Point;

#[gpu_impl(inline)]
impl Point {}

fn main() {}
