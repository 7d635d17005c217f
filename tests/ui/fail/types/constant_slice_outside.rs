use warpsmith::prelude::*;

const PRIMES: &[u32] = &[2, 3, 5];

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = PRIMES.len() as u32;
}

fn main() {}
