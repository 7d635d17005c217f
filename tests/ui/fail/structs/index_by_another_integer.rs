use core::ops::Index;
use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: f32,
    b: f32,
}

#[gpu_impl]
impl Index<u32> for Pair {
    type Output = f32;

    fn index(&self, i: u32) -> &f32 {
        if i == 0 { &self.a } else { &self.b }
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32], pair: Pair) {
    y[0] = pair[thread_idx().x];
}

fn main() {}
