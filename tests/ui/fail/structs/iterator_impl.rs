use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Count {
    at: u32,
}

#[gpu_impl]
impl Iterator for Count {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        Some(self.at)
    }
}

fn main() {}
