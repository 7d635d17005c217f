use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(flags: &mut [bool]) {
    atomic_add(&mut flags[0], true);
}

fn main() {}
