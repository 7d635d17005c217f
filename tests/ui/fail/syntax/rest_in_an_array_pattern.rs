use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let [first, rest @ ..] = [y[0], y[1], y[2]];
    y[0] = first + rest[0];
}

fn main() {}
