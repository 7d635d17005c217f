use warpsmith::prelude::*;

#[gpu_fn(ptx = "mov.b32 {ret}, {x};", pure)]
fn bits<T: Num>(x: T) -> u32 {
    x.cast::<u32>()
}

fn main() {}
