use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Stack {
    items: [u32; 8],
    top: u32,
}

impl Stack {
    fn len(&self) -> u32 {
        self.top
    }
}

#[gpu_kernel]
fn kernel(stack: Stack, y: &mut [u32]) {
    y[0] = stack.len();
}

fn main() {}
