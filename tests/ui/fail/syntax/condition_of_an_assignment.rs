use warpsmith::prelude::*;

#[gpu_kernel]
fn assigned(out: &mut [i32]) {
    let mut v = 1;
    #[cfg(any())] v = 100;
    out[0] = v;
}

fn main() {}
