use warpsmith::prelude::*;

macro_rules! assert {
    ($($tokens:tt)*) => {};
}

#[gpu_kernel]
fn checked(x: &[u32], out: &mut [u32]) {
    let q = x[0];
    assert!(q == 77);
    out[0] = q;
}

fn main() {}
