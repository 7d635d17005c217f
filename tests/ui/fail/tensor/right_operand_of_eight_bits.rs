use warpsmith::prelude::*;
use warpsmith::tensor::Accumulator;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let rows = shared!(Tile<F8E4M3, 64, 128, Swizzle128<16>>);
    let cols = shared!(Tile<F8E4M3, 128, 128, Swizzle128<16>>);
    let mut sums = Accumulator::<f32, 128>::zero();
    sums.mma_ab(rows, cols, false);
    y[0] = sums.row_sum()[0];
}

fn main() {}
