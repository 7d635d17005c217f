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
    let even: Result<Even, ()> = y[1].try_into();
    y[0] = even.map_or(7, |even| even.0);
}

fn main() {}
