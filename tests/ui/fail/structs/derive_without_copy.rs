use warpsmith::prelude::*;

#[derive(GpuType)]
#[repr(C)]
struct Entry {
    key: u32,
}

fn main() {}
