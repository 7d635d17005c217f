use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let rows = shared!(Tile<bf16, 64, 64, Padded<8>>);
    let cols = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let mut sums = Accumulator::<f32, 64>::zero();
    sums.mma_abt(rows, cols, false);
    y[0] = sums.row_sum()[0];
}

fn main() {}
