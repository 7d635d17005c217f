use warpsmith::prelude::*;

#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, 64, 64, Swizzle128>,
    row: u32,
}

fn main() {}
