use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Data<'a> {
    text: &'a [u8],
}

fn main() {}
