use warpsmith::prelude::*;
use warpsmith::tensor::{Accumulator, LeftOperand};

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let mut sums = Accumulator::<f32, 64>::zero();
    let mut weights = sums.to_operand::<bf16>();
    let mut chain = sums.chain();
    chain.start_rs_ab(&weights, tile, false);
    weights = LeftOperand::load(tile);
    chain.finish();
    sums.chain().start_rs_ab(&weights, tile, false);
    y[0] = sums.row_sum()[0];
}

fn main() {}
