use warpsmith::prelude::*;

trait Twice {
    fn twice(self) -> u32;
}

#[gpu_impl]
impl Twice for u32 {
    fn twice(self) -> u32 {
        self * 2
    }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = y[0].twice();
}

fn main() {}
