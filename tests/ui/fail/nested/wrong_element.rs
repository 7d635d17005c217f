use warpsmith::prelude::*;

#[gpu_kernel]
fn child(y: &mut [u32]) {
    y[0] = 1;
}

#[gpu_kernel]
fn parent(y: &mut [u32]) {
    let mut own = [1.0f32; 4];
    child(&mut own[..]).grid(1).block(1).launch();
    y[0] = 1;
}

fn main() {}
