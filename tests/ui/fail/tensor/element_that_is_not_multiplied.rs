use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle64;

#[gpu_kernel]
fn kernel() {
    let tile = shared!(Tile<f64, 16, 8, Swizzle64<2>>);
    let a = tile.operand_a::<1>(0, 0);
}

fn main() {}
