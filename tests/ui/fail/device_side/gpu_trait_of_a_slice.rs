use warpsmith::prelude::*;

#[gpu_trait]
trait Total {
    fn total(&self) -> i32;
}

#[gpu_impl]
impl Total for [i32] {
    fn total(&self) -> i32 {
        self[0]
    }
}

fn main() {}
