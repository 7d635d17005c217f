//! HeCBench on complex numbers, sorting across lanes, and tridiagonal systems.

use core::ops::{Add, Mul, Sub};

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("hecbench_su3_product", su3_product, complex_matrices_multiply),
        port!("hecbench_fft64", fft64, complex_numbers_transform),
        port!("hecbench_warp_sort", warp_sort, warps_sort),
        port!(
            "hecbench_parallel_cyclic_reduction",
            parallel_cyclic_reduction,
            a_tridiagonal_system_is_solved
        ),
    ]
}

/// A complex number, and matrices of them in three dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
pub struct Complex<T> {
    pub re: T,
    pub im: T,
}

#[gpu_impl]
impl<T: Num> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}

#[gpu_impl]
impl<T: Num> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex { re: self.re - o.re, im: self.im - o.im }
    }
}

#[gpu_impl]
impl<T: Num> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

type Su3 = [[Complex<f64>; 3]; 3];

#[gpu_kernel(fmad = false)]
fn su3_product(a: &[Su3], b: &[Su3], c: &mut [Su3]) {
    let site = global_id();
    if site < c.len() {
        for (k, row) in a[site].iter().enumerate() {
            for l in 0..3usize {
                let mut sum = Complex { re: 0.0, im: 0.0 };
                for m in 0..3 {
                    sum = sum + row[m] * b[site][m][l];
                }
                c[site][k][l] = sum;
            }
        }
    }
}

/// Decimation in time in shared memory: a transform of 64 complex numbers a block.
#[gpu_kernel]
fn fft64(data: &mut [Complex<f32>]) {
    const N: usize = 64;
    let mut x = shared!([Complex<f32>; N]);
    let t = thread_idx().x as usize;
    let base = block_idx().x as usize * N;
    for i in [t, t + N / 2] {
        x[(i as u32).reverse_bits() >> (32 - N.ilog2())] = data[base + i];
    }
    let mut half = 1;
    while half < N {
        sync_threads();
        let (group, k) = (t / half, t % half);
        let (i, j) = (group * half * 2 + k, group * half * 2 + k + half);
        let (sin, cos) = (-core::f32::consts::PI * k as f32 / half as f32).sin_cos();
        let (a, b) = (x[i], x[j] * Complex { re: cos, im: sin });
        x[i] = a + b;
        x[j] = a - b;
        half *= 2;
    }
    sync_threads();
    for i in (t..N).step_by(N / 2) {
        data[base + i] = x[i];
    }
}

fn complex_matrices_multiply(device: &Device) {
    let values = |n: usize, seed| -> Vec<Complex<f64>> {
        noise(2 * n, seed).chunks(2).map(|c| Complex { re: c[0].into(), im: c[1].into() }).collect()
    };
    let matrices = |seed| -> Vec<Su3> {
        values(45, seed)
            .chunks(9)
            .map(|m| std::array::from_fn(|r| std::array::from_fn(|c| m[3 * r + c])))
            .collect()
    };
    let (a, b) = (matrices(221), matrices(222));
    let (da, db) = (up(device, &a), up(device, &b));
    let mut out = up(device, &[[[Complex { re: 9.0, im: 9.0 }; 3]; 3]; 5]);
    su3_product(&da, &db, &mut out).over(5).launch(device).unwrap();
    let zero = Complex { re: 0.0, im: 0.0 };
    let dot = |s: usize, r: usize, c: usize| (0..3).fold(zero, |t, k| t + a[s][r][k] * b[s][k][c]);
    let want: Vec<Su3> =
        (0..5).map(|s| std::array::from_fn(|r| std::array::from_fn(|c| dot(s, r, c)))).collect();
    assert_eq!(down(device, &out), want);
}

fn complex_numbers_transform(device: &Device) {
    let values = |n: usize, seed| -> Vec<Complex<f64>> {
        noise(2 * n, seed).chunks(2).map(|c| Complex { re: c[0].into(), im: c[1].into() }).collect()
    };
    let x: Vec<Complex<f32>> =
        values(128, 223).iter().map(|c| Complex { re: c.re as f32, im: c.im as f32 }).collect();
    let mut data = up(device, &x);
    fft64(&mut data).grid(2).block(32).launch(device).unwrap();
    for (got, x) in down(device, &data).chunks(64).zip(x.chunks(64)) {
        for (k, got) in got.iter().enumerate() {
            let turn = |n: usize| (-std::f64::consts::TAU * (k * n % 64) as f64 / 64.0).sin_cos();
            let want = (0..64).fold((0.0, 0.0), |(re, im), n| {
                let ((s, c), (a, b)) = (turn(n), (f64::from(x[n].re), f64::from(x[n].im)));
                (re + a * c - b * s, im + a * s + b * c)
            });
            assert!((f64::from(got.re) - want.0).hypot(f64::from(got.im) - want.1) < 1e-4, "{k}");
        }
    }
}

/// Sorts 32 keys of a warp by exchanges across lanes.
#[gpu_kernel]
fn warp_sort(keys: &mut [i32]) {
    let lane = lane_id();
    let mut key = keys[global_id()];
    for k in 1..=5u32 {
        for j in (0..k).rev() {
            let other = shfl_xor(key, 1 << j);
            let ascending = lane >> k & 1 == 0;
            let keeps_min = (lane >> j & 1 == 0) == ascending;
            key = if keeps_min { key.min(other) } else { key.max(other) };
        }
    }
    keys[global_id()] = key;
}

fn warps_sort(device: &Device) {
    let x: Vec<i32> = integers(128, 1000, 231).iter().map(|v| *v as i32 - 500).collect();
    let mut keys = up(device, &x);
    warp_sort(&mut keys).grid(2).block(64).launch(device).unwrap();
    let mut want = x;
    want.chunks_mut(32).for_each(<[i32]>::sort);
    assert_eq!(down(device, &keys), want);
}

/// One unknown each of a tridiagonal system, by cyclic reduction in shared memory.
#[gpu_kernel(fmad = false)]
fn parallel_cyclic_reduction(a: &[f64], b: &[f64], c: &[f64], d: &[f64], x: &mut [f64]) {
    const N: usize = 32;
    let mut s = shared!([[f64; N]; 4]);
    let i = thread_idx().x as usize;
    for (row, v) in [a[i], b[i], c[i], d[i]].into_iter().enumerate() {
        s[row][i] = v;
    }
    sync_threads();
    let mut delta = 1;
    while delta < N {
        let [mut a, mut b, mut c, mut d] = [s[0][i], s[1][i], s[2][i], s[3][i]];
        if let Some(left) = i.checked_sub(delta) {
            let k = a / s[1][left];
            b -= k * s[2][left];
            d -= k * s[3][left];
            a = -k * s[0][left];
        }
        if i + delta < N {
            let right = i + delta;
            let k = c / s[1][right];
            b -= k * s[0][right];
            d -= k * s[3][right];
            c = -k * s[2][right];
        }
        sync_threads();
        (s[0][i], s[1][i], s[2][i], s[3][i]) = (a, b, c, d);
        sync_threads();
        delta *= 2;
    }
    x[i] = s[3][i] / s[1][i];
}

fn a_tridiagonal_system_is_solved(device: &Device) {
    let row = |seed, add: f64| -> Vec<f64> { noise(32, seed).iter().map(|v| f64::from(*v) + add).collect() };
    let (mut a, b, mut c, d) = (row(241, 0.0), row(242, 4.0), row(243, 0.0), row(244, 0.0));
    (a[0], c[31]) = (0.0, 0.0);
    let (da, db, dc, dd) = (up(device, &a), up(device, &b), up(device, &c), up(device, &d));
    let mut out = up(device, &[f64::NAN; 32]);
    parallel_cyclic_reduction(&da, &db, &dc, &dd, &mut out).grid(1).block(32).launch(device).unwrap();
    let x = down(device, &out);
    for i in 0..32 {
        let left = if i > 0 { a[i] * x[i - 1] } else { 0.0 };
        let right = if i < 31 { c[i] * x[i + 1] } else { 0.0 };
        assert!((left + b[i] * x[i] + right - d[i]).abs() < 1e-12, "row {i}");
    }
}
