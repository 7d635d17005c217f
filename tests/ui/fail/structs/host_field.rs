use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Named {
    name: &'static str,
}

fn main() {}
