use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(u32)]
enum Op {
    Add,
    Sub,
}

#[gpu_kernel]
fn kernel(op: Op, y: &mut [u32]) {
    match op {
        Op::Add => y[0] += 1,
    }
}

fn main() {}
