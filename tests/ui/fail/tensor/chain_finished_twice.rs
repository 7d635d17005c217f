use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut sums = Accumulator::<f32, 64>::zero();
    let chain = sums.chain();
    chain.finish();
    chain.finish();
    y[0] = sums.row_sum()[0];
}

fn main() {}
