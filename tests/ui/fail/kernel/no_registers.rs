use warpsmith::prelude::*;

#[gpu_kernel(max_registers(0))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
