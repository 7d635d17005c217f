use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Entry {
    pair: (u32, u8),
}

fn main() {}
