use warpsmith::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, GpuType)]
#[gpu(Ord)]
#[repr(C)]
struct Pair(u32, u32);

fn main() {}
