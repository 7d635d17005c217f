use warpsmith::prelude::*;

#[gpu_fn(cuda = "return p[1];", reads(p[1..]))]
unsafe fn second(p: *const u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { *p.add(1) }
}

fn main() {}
