use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v = y.get(0)?;
    y[1] = *v;
}

fn main() {}
