use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = 'found: {
        if y[1] > 0.0 {
            break 'found 1.0;
        }
        2.0
    };
}

fn main() {}
