use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Grid {
    width: u32,
}

#[gpu_impl]
impl Grid {
    fn get(self, columns: std::ops::Range<u32>) -> u32 {
        self.width * columns.start
    }
}

#[gpu_kernel]
fn kernel(grid: Grid, y: &mut [u32]) {
    y[0] = grid.width;
}

fn main() {}
