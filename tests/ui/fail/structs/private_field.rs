use warpsmith::prelude::*;

mod secret {
    use warpsmith::prelude::*;

    #[derive(Clone, Copy, Default, GpuType)]
    #[repr(C)]
    pub struct Entry {
        key: u32,
    }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = secret::Entry::default().key;
}

fn main() {}
