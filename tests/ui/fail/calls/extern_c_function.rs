use warpsmith::prelude::*;

unsafe extern "C" {
    fn abs(x: i32) -> i32;
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = unsafe { abs(-3) } as u32;
}

fn main() {}
