use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle64, WarpAccumulator};

#[gpu_kernel]
fn kernel(c: ViewMut2<f32>) {
    let tile = shared!(Tile<f16, 64, 32, Swizzle64>);
    let mut sums = WarpAccumulator::<f32, 4, 8>::zero();
    let a = tile.operand_a::<2>(0, 0);
    sums.mma(&a, &tile.operand_bt::<8>(0, 0));
    sums.store(c, 0, 0, |sum| sum);
}

fn main() {}
