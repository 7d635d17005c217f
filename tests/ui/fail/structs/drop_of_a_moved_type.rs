use warpsmith::prelude::*;

#[derive(DeviceType)]
#[repr(C)]
struct Guard<'a> {
    count: &'a mut u32,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        *self.count = 0;
    }
}

fn main() {}
