use warpsmith::prelude::*;
use warpsmith::tensor::{Accumulator, Swizzle128};

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let rows = shared!(Tile<bf16, 64, 64>);
    let cols = shared!(Tile<bf16, 8, 64, Swizzle128>);
    let mut sums = Accumulator::<f32, 8>::zero();
    sums.mma_abt(rows, cols, true);
    y[0] = 1.0;
}

fn main() {}
