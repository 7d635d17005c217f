use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v: u32 = if y[0] > 1 {
        3
    };
    y[1] = v;
}

fn main() {}
