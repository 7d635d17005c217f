use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u64]) {
    let mut v = [1u64, 2];
    let first = &v[0];
    v[1] = 3;
    y[0] = *first + x.iter().copied().map(u64::from).map(|v| v.pow(2)).sum::<u64>();
}

fn main() {}
