use warpsmith::prelude::*;

#[derive(Stage)]
struct Step {
    a: Tile<'static, bf16, 64, 64, Swizzle128>,
}

fn main() {}
