use warpsmith::prelude::*;

#[gpu_kernel]
fn convert<A: Num, B: Num>(x: &[A], y: &mut [B]) {
    let i = global_id();
    y[i] = x[i];
}

fn main() {}
