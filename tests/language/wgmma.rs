//! Products of a warpgroup: every executor against the host, what is refused, and mistakes in their use.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::everywhere;

/// Numbers that look random, small enough for every type, with exact sums.
fn random(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state % 7) as f32 - 2.0
    }
}

/// Where byte `byte` of a matrix is that is swizzled within 128 bytes.
#[gpu_fn]
fn swizzled(byte: usize) -> usize {
    byte ^ (byte / 128 % 8 * 16)
}

/// `c = a * b + c` of 64 × 128 by 128 × 2R, where rows of `a` and columns of `b` have their elements along K side by side.
#[gpu_kernel]
fn product<T: WgmmaElement, const R: usize>(a: &[T], b: &[T], c: &mut [[T::Sum; R]])
where
    T: Copy,
{
    let mut left = shared!([T; 8192], align = 1024);
    let mut right = shared!([T; 32768], align = 1024);
    let t = thread_idx().x as usize;
    let size = size_of::<T>();
    let row = 128 / size;
    for i in (t..64 * row).step_by(128) {
        left[swizzled(i * size) / size] = a[i];
    }
    for i in (t..2 * R * row).step_by(128) {
        right[swizzled(i * size) / size] = b[i];
    }
    fence_proxy_async();
    sync_threads();
    let mut sums = c[t];
    wgmma_fence();
    let (from_a, from_b) =
        (matrix_descriptor(&left[0], 16, 1024, 1), matrix_descriptor(&right[0], 16, 1024, 1));
    #[unroll]
    for k in 0..4u64 {
        wgmma::<T, R, false, false>(&mut sums, from_a + 2 * k, from_b + 2 * k, true);
    }
    wgmma_commit();
    wgmma_wait::<0>();
    c[t] = sums;
}

/// Row and column of a thread's sum.
fn place(thread: usize, i: usize) -> (usize, usize) {
    let (warp, lane) = (thread / 32, thread % 32);
    (warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2)
}

macro_rules! products {
    ($($test:ident: $t:ty, $sum:ty, $r:literal;)+) => {$(
        #[test]
        fn $test() {
            const R: usize = $r;
            let row = 128 / size_of::<$t>();
            let mut next = random($r);
            let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| next()).collect() };
            let (a, b) = (numbers(64 * row), numbers(2 * R * row));
            let cast = |x: &[f32]| -> Vec<$t> { x.iter().map(|x| (*x).cast::<$t>()).collect() };
            let mut wanted = vec![[<$sum>::default(); R]; 128];
            for (thread, sums) in wanted.iter_mut().enumerate() {
                for (i, sum) in sums.iter_mut().enumerate() {
                    let (m, n) = place(thread, i);
                    let total: f32 = (0..row).map(|k| a[m * row + k] * b[n * row + k]).sum();
                    *sum = (total + (thread + i) as f32).cast::<$sum>();
                }
            }
            let (a, b) = (cast(&a), cast(&b));
            everywhere::<product<$t, R>>(&(), |device| {
                let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
                let start: Vec<[$sum; R]> =
                    (0..128).map(|t| std::array::from_fn(|i| ((t + i) as f32).cast::<$sum>())).collect();
                let mut c = device.upload(&start).unwrap();
                product::<$t, R>(&a, &b, &mut c).grid(1).block(128).launch(device).unwrap();
                assert_eq!(device.download(&c).unwrap(), wanted);
            });
        }
    )+};
}

products! {
    bf16_by_64_columns: bf16, f32, 32;
    bf16_by_8_columns: bf16, f32, 4;
    bf16_by_256_columns: bf16, f32, 128;
    f16_by_24_columns: f16, f32, 12;
}
