use warpsmith::prelude::*;

#[gpu_kernel]
fn child(y: &mut [u32]) {
    y[0] = 1;
}

#[gpu_kernel]
fn parent(y: &mut [u32]) {
    let mut kept = shared!([u32; 8]);
    kept[0] = y[0];
    child(&mut kept).grid(1).block(1).launch();
}

fn main() {}
