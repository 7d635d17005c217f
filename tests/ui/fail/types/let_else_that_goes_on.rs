use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let Some(v) = y[0].checked_add(1) else {
        y[1] = 0;
    };
    y[2] = v;
}

fn main() {}
