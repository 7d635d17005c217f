use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(u32)]
enum Mode {
    Fast,
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = match Mode::Slow {
        Mode::Fast => 1,
        _ => 2,
    };
}

fn main() {}
