use warpsmith::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Inner {
    a: f32,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Either {
    Inner(Inner),
    None,
}

#[gpu_kernel]
fn kernel(x: &[Either], y: &mut [f32]) {
    if let Either::Inner(inner) = x[0] {
        y[0] = inner.a;
    }
}

fn main() {}
