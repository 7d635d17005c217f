use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    macro_rules! one {
        () => {
            1
        };
    }
    y[0] = one!();
}

fn main() {}
