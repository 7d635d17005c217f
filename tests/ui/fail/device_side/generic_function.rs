use warpsmith::prelude::*;

fn twice<T: Num>(x: T) -> T {
    x + x
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = twice::<u32>(y[0]);
}

fn main() {}
