use warpsmith::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuType)]
#[repr(C)]
struct Pair(u32, u32);

#[gpu_kernel]
fn kernel(x: &[Pair], y: &mut [Pair]) {
    y[0] = x[0].max(x[1]);
}

fn main() {}
