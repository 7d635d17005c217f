use warpsmith::prelude::*;

struct Kernels;

impl Kernels {
    #[gpu_kernel]
    fn kernel(&self, y: &mut [u32]) {
        y[0] = 1;
    }
}

fn main() {}
