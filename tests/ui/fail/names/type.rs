use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = Pair { a: y[0], b: y[1] };
    y[0] = p.a;
}

fn main() {}
