use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    const PRIMES: &[u32] = &[2, 3, 5];
    y[0] = PRIMES[y[1]] + PRIMES.len() as u32;
}

fn main() {}
