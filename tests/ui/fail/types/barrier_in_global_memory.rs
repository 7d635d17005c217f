use warpsmith::prelude::*;

#[gpu_kernel]
fn k(barriers: &mut [Barrier]) {
    barriers[0].arrive();
}

fn main() {}
