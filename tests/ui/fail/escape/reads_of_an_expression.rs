use warpsmith::prelude::*;

#[gpu_fn(cuda = "return *p;", reads(*p))]
unsafe fn load(p: *const u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { *p }
}

fn main() {}
