use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Named {
    name: &'static [u8],
}

#[gpu_kernel]
fn kernel(named: Named, all: &[Named], y: &mut [u32]) {
    let other = named;
    y[0] = all.len() as u32 + (other.name.len() > 3) as u32;
}

fn main() {}
