use warpsmith::prelude::*;

#[gpu_fn(cuda = "return *p + n;", reads(n))]
unsafe fn next(p: *const u32, n: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { *p + n }
}

fn main() {}
