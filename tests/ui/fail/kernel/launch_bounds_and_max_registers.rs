use warpsmith::prelude::*;

#[gpu_kernel(launch_bounds(64), max_registers(32))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
