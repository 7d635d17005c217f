use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Entry {
    next: Option<Box<Entry>>,
}

fn main() {}
