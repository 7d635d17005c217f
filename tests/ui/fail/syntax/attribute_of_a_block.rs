use warpsmith::prelude::*;

#[gpu_trait]
trait Scaled {
    fn scaled(self) -> i32
    where
        Self: Sized,
    {
        #[inline]
        {
            1
        }
    }
}

fn main() {}
