use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    for v in y.iter() {
        *v += 1;
    }
}

fn main() {}
