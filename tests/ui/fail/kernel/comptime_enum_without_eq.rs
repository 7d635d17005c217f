use warpsmith::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, GpuType)]
#[repr(u8)]
enum Mode {
    Add,
    Multiply,
}

#[gpu_kernel]
fn kernel(#[comptime] mode: Mode, y: &mut [u32]) {
    y[0] = match mode {
        Mode::Add => y[0] + 1,
        Mode::Multiply => y[0] * 2,
    };
}

fn main() {}
