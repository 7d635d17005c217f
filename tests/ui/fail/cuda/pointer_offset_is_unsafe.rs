use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = y.as_mut_ptr();
    let q = p.add(1);
}

fn main() {}
