use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    for v in x.chunks(2).flatten().rev() {
        y[0] = *v;
    }
}

fn main() {}
