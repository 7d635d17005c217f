use warpsmith::prelude::*;

#[allow(non_camel_case_types)]
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Kind {
    one,
    two,
}

#[gpu_kernel]
fn kernel(y: &mut [u32], kind: Kind) {
    use Kind::*;
    y[0] = match kind {
        one => 1,
        two => 2,
    };
}

fn main() {}
