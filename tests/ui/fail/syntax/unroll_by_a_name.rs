use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    #[unroll(all)]
    for i in 0..4 {
        y[i] = 0.0;
    }
}

fn main() {}
