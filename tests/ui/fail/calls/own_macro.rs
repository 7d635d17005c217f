use warpsmith::prelude::*;

macro_rules! twice {
    ($x:expr) => {
        $x * 2.0
    };
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = twice!(y[0]);
}

fn main() {}
