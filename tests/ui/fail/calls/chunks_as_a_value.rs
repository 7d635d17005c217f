use warpsmith::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pack<'a> {
    x: View<'a, u32>,
}

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let pack = Pack { x: View::new(x) };
    let parts = pack.x.chunks(2);
    y[0] = parts.len() as u32;
}

fn main() {}
