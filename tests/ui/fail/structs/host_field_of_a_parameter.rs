use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Named<'a> {
    name: &'a [u8],
}

#[gpu_kernel]
fn kernel(named: Named<'_>, all: &[Named<'_>], y: &mut [u32]) {
    let other = named;
    y[0] = all.len() as u32 + (other.name.len() > 3) as u32;
}

fn main() {}
