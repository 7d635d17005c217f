use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = ();

    fn try_from(v: u32) -> Result<Self, ()> {
        if v % 2 == 0 { Ok(Even(v)) } else { Err(()) }
    }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = Even::try_from(y[1]).map_or(7, |even| even.0);
}

fn main() {}
