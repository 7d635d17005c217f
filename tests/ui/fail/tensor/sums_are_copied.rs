use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let sums = Accumulator::<f32, 64>::zero();
    let copy = sums;
    y[0] = copy.row_sum()[0] + sums.row_sum()[0];
}

fn main() {}
