use warpsmith::prelude::*;

#[gpu_kernel]
fn child(y: &mut [u32]) {
    y[0] = 1;
}

#[gpu_kernel]
fn parent(y: &mut [u32]) {
    child(y).block(1).launch();
}

fn main() {}
