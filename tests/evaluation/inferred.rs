//! Types of closures' parameters that the bound of the called function names.

use warpsmith::prelude::*;

use super::agree;

#[gpu_fn]
fn iterate<T: Num, F: FnMut(T) -> T>(start: T, n: u32, mut f: F) -> T {
    let mut v = start;
    for _ in 0..n {
        v = f(v);
    }
    v
}

#[gpu_fn]
fn each<T: GpuType>(value: T, n: u32, mut f: impl FnMut(u32, T)) -> T {
    for i in 0..n {
        f(i, value);
    }
    value
}

#[gpu_fn]
fn counted<const N: usize, F>(v: [u64; N], mut f: F) -> u64
where
    F: FnMut(u32, &[u64; N]) -> u64,
{
    f(N as u32, &v) + f(1, &v)
}

#[gpu_fn]
fn twice<A: Num, B: Num>(a: A, b: B, f: impl Fn(A) -> B, g: impl Fn(B, B) -> B) -> B {
    g(f(a), b)
}

#[gpu_kernel]
fn operators_on_parameters(x: &[u64], out: &mut [u64]) {
    let n = x[3] as i32;
    out[0] = iterate(n, 3, |c| -c) as u64;
    out[1] = iterate(x[4], 2, |c| !c);
    out[2] = iterate(x[5], 1, |c| !c) as u32 as u64;
    out[3] = iterate(x[9], 2, |c| c.div_ceil(2));
    out[4] = iterate(40i32, 2, |c| 900 / (-((c & 31) | 2))) as u64;
    out[5] = iterate(2.0f32, 2, |c| -c.sqrt() + c.abs()) as i32 as u64;
    let (mut s, mut v) = (3u32, 7u32);
    each(1.5f32, 3, |c, f| {
        s = !c;
        v *= c.div_ceil(2) + (-f).abs() as u32;
    });
    out[6] = (s ^ v) as u64;
    each(true, 2, |c, b| {
        if !b || c.is_power_of_two() {
            v += c.count_ones();
        }
    });
    out[7] = v as u64;
    out[8] = counted([x[4]; 3], |c, v| {
        !c as u64 + v[c.min(2) as usize].leading_zeros() as u64 + v.iter().sum::<u64>()
    });
    out[9] = twice(n, x[4], |a| (-a) as u64, |a, b| !a ^ b.pow(2));
    out[10] = twice(5u32, 3i64, |a| i64::from(!a), |a, b| -a - b.signum()) as u64;
    out[11] = iterate(x[3], 2, |c| {
        let d = !c;
        d.rotate_left(3)
    });
}

#[gpu_kernel]
fn results_that_a_use_names(x: &[u64], out: &mut [u64]) {
    let f = x[3] as f32 + 0.7;
    let n: i32 = unsafe { f.to_int_unchecked() };
    let small = unsafe { (-f).to_int_unchecked::<i8>() };
    out[0] = n as u64 + unsafe { (x[4] as f64 * 1.3).to_int_unchecked::<u64>() };
    out[1] = small as u64;
    out[2] = iterate(x[5], 2, |c| unsafe { (c as f64 / 1.5).to_int_unchecked() });
}

agree! {
    operators_on_parameters
    results_that_a_use_names
}
