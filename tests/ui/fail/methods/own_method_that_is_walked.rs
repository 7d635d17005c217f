use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Grid {
    n: u32,
}

impl Grid {
    fn chunks(&self, by: u32) -> core::ops::Range<u32> {
        0..self.n / by
    }
}

#[gpu_kernel]
fn kernel(grid: Grid, y: &mut [u32]) {
    for i in grid.chunks(2) {
        y[0] += i;
    }
}

fn main() {}
