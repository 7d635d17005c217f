use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let mut sums = Accumulator::<f32, 64>::zero();
    let mut chain = sums.chain();
    chain.start_abt(tile, tile, false);
    sums.scale_rows([0.5, 0.5]);
    y[0] = 1.0;
}

fn main() {}
