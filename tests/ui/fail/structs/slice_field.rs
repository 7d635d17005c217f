use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Data<'a> {
    values: &'a [f32],
}

fn main() {}
