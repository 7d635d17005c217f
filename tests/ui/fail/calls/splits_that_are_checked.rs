use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u8], y: &mut [u8]) {
    if let Some((a, _)) = x.split_at_checked(3) {
        y[1] = a[0];
    }
}

fn main() {}
