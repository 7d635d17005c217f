use warpsmith::prelude::*;

#[gpu_fn(cuda = "*p = 1;", writes(p))]
unsafe fn set(p: *const u32) {
    // SAFETY: the caller's.
    unsafe { *p.cast_mut() = 1 }
}

fn main() {}
