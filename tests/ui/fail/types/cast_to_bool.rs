use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let set = y[0] as bool;
    if set {
        y[1] = 1;
    }
}

fn main() {}
