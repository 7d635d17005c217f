use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Sum {
    total: u32,
}

#[gpu_impl]
impl Sum {
    fn all<I>(self, values: I) -> u32
    where
        I: IntoIterator<Item = u32>,
    {
        values.into_iter().fold(self.total, |a, b| a + b)
    }
}

#[gpu_kernel]
fn kernel(sum: Sum, y: &mut [u32]) {
    y[0] = sum.total;
}

fn main() {}
