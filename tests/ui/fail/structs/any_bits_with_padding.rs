use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[gpu(AnyBits)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

fn main() {}
