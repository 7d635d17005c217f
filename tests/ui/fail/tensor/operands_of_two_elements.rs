use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle64, WarpAccumulator};

#[gpu_kernel]
fn kernel(c: ViewMut2<f32>) {
    let rows = shared!(Tile<f16, 16, 32, Swizzle64>);
    let cols = shared!(Tile<bf16, 16, 32, Swizzle64>);
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    let b = cols.operand_bt::<2>(0, 0);
    sums.mma(&rows.operand_a::<1>(0, 0), &b);
    sums.store(c, 0, 0, |sum| sum);
}

fn main() {}
