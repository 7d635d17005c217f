use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle64, WarpAccumulator};

#[gpu_kernel]
fn kernel(c: ViewMut2<f32>) {
    let tile = shared!(Tile<i8, 16, 64, Swizzle64<16>>);
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    let b = tile.operand_bt::<2>(0, 0);
    sums.mma(&tile.operand_a::<1>(0, 0), &b);
    sums.store(c, 0, 0, |sum| sum);
}

fn main() {}
