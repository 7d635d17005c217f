use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair(f32, f32);

#[gpu_impl]
impl std::iter::Sum for Pair {
    fn sum<I: Iterator<Item = Pair>>(items: I) -> Pair {
        items.fold(Pair(0.0, 0.0), |a, b| Pair(a.0 + b.0, a.1 + b.1))
    }
}

fn main() {}
