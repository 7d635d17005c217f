use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[(u32, u32)], y: &mut [u32]) {
    if let [(b, _), ..] = &x[2..5] {
        y[1] = *b;
    }
}

fn main() {}
