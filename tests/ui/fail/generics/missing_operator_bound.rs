use warpsmith::prelude::*;

#[gpu_fn]
fn double<T: Num>(x: T) -> T {
    x % x
}

fn main() {}
