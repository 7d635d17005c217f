use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v = y[0].checked_add(1)?;
    y[0] = v;
}

fn main() {}
