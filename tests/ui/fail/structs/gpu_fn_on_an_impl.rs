use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Entry {
    key: u32,
}

#[gpu_fn]
impl Entry {
    fn twice(&self) -> u32 {
        self.key * 2
    }
}

fn main() {}
