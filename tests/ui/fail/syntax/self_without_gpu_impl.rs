use warpsmith::prelude::*;

struct Point;

impl Point {
    #[gpu_fn]
    fn zero(&self) -> u32 {
        0
    }
}

fn main() {}
