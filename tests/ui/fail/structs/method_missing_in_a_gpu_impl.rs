use warpsmith::prelude::*;

#[gpu_trait]
trait Area {
    fn area(&self) -> f32;
    fn border(&self) -> f32;
}

#[gpu_impl]
impl Area for f32 {
    fn area(&self) -> f32 {
        *self * *self
    }
}

fn main() {}
