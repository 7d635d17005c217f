use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_impl]
impl<T: Num> Pair<T> {
    fn sum(&self) -> T {
        self.a + 1
    }
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let p = Pair { a: 1.0f32, b: 2.0 };
    out[0] = p.sum();
}

fn main() {}
