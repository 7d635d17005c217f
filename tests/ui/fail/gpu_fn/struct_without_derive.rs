use warpsmith::prelude::*;

#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

#[gpu_fn]
fn total(p: Pair) -> f32 {
    p.a + p.b
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = total(Pair { a: 1.0, b: 2.0 });
}

fn main() {}
