use warpsmith::prelude::*;

#[gpu_fn(cuda = "return x;", pure)]
fn bits<T: Num>(x: T) -> u32 {
    x.cast::<u32>()
}

fn main() {}
