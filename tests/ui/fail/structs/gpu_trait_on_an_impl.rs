use warpsmith::prelude::*;

trait Twice {
    fn twice(self) -> u32;
}

#[gpu_trait]
impl Twice for u32 {
    fn twice(self) -> u32 {
        self * 2
    }
}

fn main() {}
