use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [(u32, u32)]) {
    if let [(b, _), ..] = &mut y[2..5] {
        *b = 1;
    }
}

fn main() {}
