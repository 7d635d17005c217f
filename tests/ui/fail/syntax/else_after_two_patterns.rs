use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let (a, b) = (y[0].checked_sub(1), y[1].checked_sub(1));
    if let Some(a) = a
        && let Some(b) = b
    {
        y[0] = a + b;
    } else {
        y[0] = 0;
    }
}

fn main() {}
