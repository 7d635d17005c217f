use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    for v in x.chunks_exact(4).remainder() {
        y[0] += *v;
    }
}

fn main() {}
