use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
union Bits {
    f: f32,
    u: u32,
}

fn main() {}
