use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<const FLAG: bool>(x: &[u32], y: &mut [u32]) {
    if FLAG == 1 {
        y[0] = x[0];
    }
}

fn main() {}
