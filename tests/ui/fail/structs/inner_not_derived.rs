use warpsmith::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Inner {
    a: f32,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Outer {
    inner: Inner,
    b: [f32; 2],
}

#[gpu_kernel]
fn kernel(x: &[Outer], y: &mut [f32]) {
    let both = x[0];
    y[0] = both.inner.a + both.b[0];
}

fn main() {}
