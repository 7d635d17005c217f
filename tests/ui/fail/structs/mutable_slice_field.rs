use warpsmith::prelude::*;

#[derive(DeviceType)]
#[repr(C)]
struct Output<'a> {
    values: Option<&'a mut [f32]>,
}

fn main() {}
