use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair<T: GpuType> {
    first: T,
    second: T,
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let pair = Pair { first: y[0], second: y[1] };
    y[2] = pair.first + pair.second;
}

fn main() {}
