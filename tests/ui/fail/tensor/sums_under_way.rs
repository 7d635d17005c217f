use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let mut sums = Accumulator::<f32, 64>::zero();
    let mut chain = sums.chain();
    chain.start_abt(tile, tile, false);
    let total = sums.row_sum();
    chain.finish();
    y[0] = total[0];
}

fn main() {}
