use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let pid = program_id(0);
    y[pid] = x[pid];
}

fn main() {}
