use warpsmith::prelude::*;

#[gpu_fn]
fn adder(n: u32) -> impl Fn(u32) -> u32 {
    move |a| a + n
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let f = adder(3);
    y[0] = 1;
}

fn main() {}
