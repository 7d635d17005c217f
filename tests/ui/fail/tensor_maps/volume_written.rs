use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &mut TensorMap3<f32, 2, 4, 32, Unswizzled>) {
    let _ = x;
}

fn main() {}
