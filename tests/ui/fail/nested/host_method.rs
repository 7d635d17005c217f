use warpsmith::prelude::*;

#[gpu_kernel]
fn child(y: &mut [u32]) {
    y[0] = 1;
}

#[gpu_kernel]
fn parent(y: &mut [u32]) {
    child(y).grid(1).cluster(2).launch();
}

fn main() {}
