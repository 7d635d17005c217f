use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(i: usize, y: &mut [u32]) {
    const ROWS: [&[u32]; 2] = [&[1], &[2, 3]];
    y[0] = ROWS[i][0];
}

fn main() {}
