//! Generic arguments that a call writes beside a closure: of functions, methods and traits.

use warpsmith::prelude::*;

use harness::agree;

#[gpu_fn]
fn apply_n<F: Fn(u64) -> u64, const N: usize>(f: F, v: u64) -> u64 {
    let mut r = v;
    for _ in 0..N {
        r = f(r);
    }
    r
}
#[gpu_fn]
fn apply_m<const N: usize>(mut f: impl FnMut(u64) -> u64, v: u64) -> u64 {
    let mut r = v;
    for _ in 0..N {
        r = f(r);
    }
    r
}
#[gpu_fn]
fn apply_t<T: Num, F>(a: T, f: F) -> T
where
    F: Fn(T, T) -> T,
{
    f(a, f(a, a))
}
#[gpu_fn]
fn apply_u<T: Num, U: Num>(a: T, f: impl Fn(T) -> U, g: impl Fn(U) -> T) -> T {
    g(f(a))
}
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Start {
    v: u64,
}
#[gpu_impl]
impl Start {
    fn each<const N: usize>(&self, f: impl Fn(u64) -> u64) -> u64 {
        let mut r = self.v;
        for _ in 0..N {
            r = f(r);
        }
        r
    }
    fn each2<F: Fn(u64) -> u64, const N: usize>(&self, f: F) -> u64 {
        let mut r = self.v;
        for _ in 0..N {
            r = f(r);
        }
        r
    }
    fn of<const N: usize>(f: impl Fn(u64) -> u64) -> u64 {
        f(N as u64)
    }
}
#[gpu_trait]
trait Run {
    fn run<const N: u64>(&self, f: impl Fn(u64) -> u64) -> u64;
    fn keep<F: Fn(u64) -> u64, const N: u64>(&self, f: F) -> u64 {
        f(N)
    }
}
#[gpu_impl]
impl Run for Start {
    fn run<const N: u64>(&self, f: impl Fn(u64) -> u64) -> u64 {
        f(self.v * N)
    }
}
#[gpu_kernel]
fn arguments_beside_closures(x: &[u64], out: &mut [u64]) {
    out[0] = apply_n::<_, 3>(|v| v * 2 + x[1], 1) + apply_n::<_, 0>(|v| v + 1, 9);
    let mut c = 0;
    out[1] = apply_m::<4>(
        |v| {
            c += v;
            c
        },
        1,
    ) + c;
    out[2] = apply_t::<u64, _>(3, |a, b| a * 10 + b) + apply_t(2.5f32, |a, b| a + b) as u64;
    out[3] = apply_u::<u64, f32>(7, |a| a as f32 / 2.0, |b| b as u64)
        + apply_u(3u32, |a| a as u64, |b| b as u32) as u64;
    let s = Start { v: 3 };
    out[4] = s.each::<2>(|v| v * 3 + x[1])
        + s.each2::<_, 3>(|v| v + c)
        + Start::of::<5>(|v| v * 2)
        + s.each2::<_, 0>(|v| v);
    out[5] = s.run::<2>(|v| v + 1) + s.keep::<_, 2>(|v| v + 1);
}

agree! { arguments_beside_closures }
