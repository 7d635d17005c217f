use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: Option<&mut [f32]>) {
    let _ = y;
}

fn main() {}
