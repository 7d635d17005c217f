use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[gpu(Hash)]
#[repr(C)]
struct Entry {
    key: u32,
}

fn main() {}
