use warpsmith::prelude::*;

#[gpu_trait]
trait Twice {
    fn twice(self) -> u32;
}

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
