use warpsmith::prelude::*;

macro_rules! println {
    ($($tokens:tt)*) => {};
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Told(u32);

#[gpu_impl]
impl Told {
    fn tell(self) {
        println!("{}", self.0);
    }
}

fn main() {}
