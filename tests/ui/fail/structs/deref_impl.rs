use std::ops::Deref;

use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Entry {
    key: u32,
}

#[gpu_impl]
impl Deref for Entry {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.key
    }
}

fn main() {}
