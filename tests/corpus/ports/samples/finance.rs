//! cuda-samples: options by formula, lattice and simulation, quasirandom numbers, intervals, eigenvalues.

use core::ops::{Add, Mul, Neg, Sub};

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("samples_black_scholes", black_scholes, options_have_a_formula),
        port!("samples_binomial_options", binomial_options<32, 4>, options_have_a_lattice),
        port!("samples_quasirandom", quasirandom, quasirandom_numbers_are_tables_joined),
        port!("samples_inverse_cnd", inverse_cnd, quasirandom_numbers_become_normal),
        port!("samples_monte_carlo", monte_carlo<64>, options_are_simulated),
        port!("samples_bisect", bisect, intervals_enclose_a_root),
    ]
}

/// `cndGPU`
#[gpu_fn]
fn cnd(d: f32) -> f32 {
    const A1: f32 = 0.31938153;
    const A2: f32 = -0.356563782;
    const A3: f32 = 1.781477937;
    const A4: f32 = -1.821255978;
    const A5: f32 = 1.330274429;
    const RSQRT2PI: f32 = 0.398_942_3;
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let cnd = RSQRT2PI * (-0.5 * d * d).exp() * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
    if d > 0.0 { 1.0 - cnd } else { cnd }
}

/// `BlackScholesBodyGPU`: the call and the put.
#[gpu_fn]
fn black_scholes_body(s: f32, x: f32, t: f32, r: f32, v: f32) -> (f32, f32) {
    let sqrt_t = 1.0 / rsqrt(t);
    let d1 = ((s / x).ln() + (r + 0.5 * v * v) * t) / (v * sqrt_t);
    let d2 = d1 - v * sqrt_t;
    let (cnd_d1, cnd_d2) = (cnd(d1), cnd(d2));
    let exp_rt = (-r * t).exp();
    (s * cnd_d1 - x * exp_rt * cnd_d2, x * exp_rt * (1.0 - cnd_d2) - s * (1.0 - cnd_d1))
}

#[gpu_kernel(launch_bounds(128))]
fn black_scholes(
    call: &mut [F32x2],
    put: &mut [F32x2],
    price: &[F32x2],
    strike: &[F32x2],
    years: &[F32x2],
    r: f32,
    v: f32,
) {
    let opt = global_id();
    if opt < price.len() {
        let (s, x, t) = (price[opt], strike[opt], years[opt]);
        let (call1, put1) = black_scholes_body(s.x, x.x, t.x, r, v);
        let (call2, put2) = black_scholes_body(s.y, x.y, t.y, r, v);
        call[opt] = F32x2::new(call1, call2);
        put[opt] = F32x2 { x: put1, y: put2 };
    }
}

fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x / 2f64.sqrt())
}

fn priced(s: f64, x: f64, t: f64, r: f64, v: f64) -> (f64, f64) {
    let d1 = ((s / x).ln() + (r + 0.5 * v * v) * t) / (v * t.sqrt());
    let d2 = d1 - v * t.sqrt();
    let discount = x * (-r * t).exp();
    (s * normal(d1) - discount * normal(d2), discount * normal(-d2) - s * normal(-d1))
}

fn options_have_a_formula(device: &Device) {
    let pairs = |seed: u32, low: f32, high: f32| -> Vec<F32x2> {
        let to = |v: f32| low + (v + 1.0) * 0.5 * (high - low);
        noise(80, seed).chunks(2).map(|v| F32x2::new(to(v[0]), to(v[1]))).collect()
    };
    let (s, x, t) = (pairs(1, 5.0, 30.0), pairs(2, 1.0, 100.0), pairs(3, 0.25, 10.0));
    let upload = |v: &[F32x2]| up(device, v);
    let (ds, dx, dt) = (upload(&s), upload(&x), upload(&t));
    let mut put = upload(&x);
    let call = written(device, (40, F32x2::splat(f32::NAN)), |call| {
        black_scholes(call, &mut put, &ds, &dx, &dt, 0.02, 0.3).over(40).block(32).launch(device)
    });
    let put = down(device, &put);
    for i in 0..40 {
        let one = |s: f32, x: f32, t: f32| priced(f64::from(s), f64::from(x), f64::from(t), 0.02, 0.3);
        let (a, b) = (one(s[i].x, x[i].x, t[i].x), one(s[i].y, x[i].y, t[i].y));
        assert_close(&[call[i].x, call[i].y], &[a.0 as f32, b.0 as f32], 1e-4);
        assert_close(&[put[i].x, put[i].y], &[a.1 as f32, b.1 as f32], 1e-4);
    }
}

/// `__TOptionData` of the lattice and the simulation
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct OptionData {
    s: f64,
    x: f64,
    v_by_sqrt: f64,
    pu_by_df: f64,
    pd_by_df: f64,
}

#[gpu_const]
static OPTIONS: [OptionData; 4] =
    [OptionData { s: 0.0, x: 0.0, v_by_sqrt: 0.0, pu_by_df: 0.0, pd_by_df: 0.0 }; 4];

const NUM_STEPS: usize = 128;

#[gpu_fn]
fn expiry_call_value(option: &OptionData, i: i32) -> f64 {
    let d = option.s * (option.v_by_sqrt * (2.0 * i as f64 - NUM_STEPS as f64)).exp() - option.x;
    if d > 0.0 { d } else { 0.0 }
}

/// `binomialOptionsKernel`: a block an option, elements of a thread in registers.
#[gpu_kernel]
fn binomial_options<const BLOCK: usize, const ELEMS: usize>(values: &mut [f64]) {
    let mut call_exchange = shared!([f64; BLOCK + 1]);
    let tid = thread_idx().x as usize;
    let option = &OPTIONS[block_idx().x];
    let (pu, pd) = (option.pu_by_df, option.pd_by_df);

    let mut call = [0f64; ELEMS];
    #[unroll]
    for i in 0..ELEMS {
        call[i] = expiry_call_value(option, (tid * ELEMS + i) as i32);
    }
    if tid == 0 {
        call_exchange[BLOCK] = expiry_call_value(option, NUM_STEPS as i32);
    }
    let final_it = (tid * ELEMS).saturating_sub(1);
    for i in (1..=NUM_STEPS).rev() {
        call_exchange[tid] = call[0];
        sync_threads();
        let last = call_exchange[tid + 1];
        sync_threads();
        if i > final_it {
            for j in 0..ELEMS - 1 {
                call[j] = pu * call[j + 1] + pd * call[j];
            }
            call[ELEMS - 1] = pu * last + pd * call[ELEMS - 1];
        }
    }
    if tid == 0 {
        values[block_idx().x] = call[0];
    }
}

fn options_have_a_lattice(device: &Device) {
    let inputs = [(20.0, 18.0, 1.0), (25.0, 30.0, 2.0), (10.0, 11.0, 0.5), (30.0, 20.0, 3.0)];
    let (r, v) = (0.06f64, 0.1f64);
    let option = |(s, x, t): (f64, f64, f64)| {
        let dt = t / NUM_STEPS as f64;
        let (step, growth) = (v * dt.sqrt(), (r * dt).exp());
        let (u, d) = (step.exp(), (-step).exp());
        let up = (growth - d) / (u - d);
        OptionData { s, x, v_by_sqrt: step, pu_by_df: up / growth, pd_by_df: (1.0 - up) / growth }
    };
    OPTIONS.set(device, inputs.map(option)).expect("memory");
    let out =
        written(device, (4, f64::NAN), |out| binomial_options::<32, 4>(out).grid(4).block(32).launch(device));
    for (got, (s, x, t)) in out.iter().zip(inputs) {
        let want = priced(s, x, t, r, v).0;
        assert!((got - want).abs() < 0.02, "{got}, not {want}");
    }
}

const QRNG_DIMENSIONS: usize = 3;
const QRNG_RESOLUTION: usize = 31;

const fn direction(dim: usize, bit: usize) -> u32 {
    let mut v = (1 + dim as u32 * 2) << 1 | 1;
    let mut i = 0;
    while i < bit {
        v = v.rotate_left(7) ^ (v << 3) ^ 0x9e37_79b9;
        i += 1;
    }
    v & 0x7fff_ffff
}

const fn directions() -> [[u32; QRNG_RESOLUTION]; QRNG_DIMENSIONS] {
    let mut table = [[0; QRNG_RESOLUTION]; QRNG_DIMENSIONS];
    let mut dim = 0;
    while dim < QRNG_DIMENSIONS {
        let mut bit = 0;
        while bit < QRNG_RESOLUTION {
            table[dim][bit] = direction(dim, bit);
            bit += 1;
        }
        dim += 1;
    }
    table
}

static TABLE: [[u32; QRNG_RESOLUTION]; QRNG_DIMENSIONS] = directions();

/// `quasirandomGeneratorKernel`: bits of the index choose directions that are joined.
#[gpu_kernel]
fn quasirandom(out: &mut [f32], seed: u32, n: u32) {
    const INT_SCALE: f32 = 1.0 / 0x8000_0001u32 as f32;
    let tid = block_dim().x * block_idx().x + thread_idx().x;
    let mut pos = tid;
    while pos < n {
        let mut result = 0u32;
        let mut data = seed + pos;
        let mut bit = 0;
        while bit < QRNG_RESOLUTION {
            if data & 1 != 0 {
                result ^= TABLE[thread_idx().y][bit];
            }
            bit += 1;
            data >>= 1;
        }
        out[thread_idx().y * n + pos] = (result + 1) as f32 * INT_SCALE;
        pos += block_dim().x * grid_dim().x;
    }
}

/// `MoroInvCNDgpu`
#[gpu_fn]
fn moro_inv_cnd(x: u32) -> f32 {
    const A: [f32; 4] = [2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637];
    const B: [f32; 4] = [-8.4735109309, 23.08336743743, -21.06224101826, 3.13082909833];
    const C: [f32; 9] = [
        0.337475482272615,
        0.976169019091719,
        0.160797971491821,
        2.76438810333863E-02,
        3.8405729373609E-03,
        3.951896511919E-04,
        3.21767881768E-05,
        2.888167364E-07,
        3.960315187E-07,
    ];
    let negate = x < 0x8000_0000;
    let x = if negate { !x } else { x };
    let x = (x as f64 / 4294967296.0) as f32;
    let y = 0.5 - (1.0 - x);
    let z = if y.abs() < 0.42 {
        let z = y * y;
        y * (((A[3] * z + A[2]) * z + A[1]) * z + A[0])
            / ((((B[3] * z + B[2]) * z + B[1]) * z + B[0]) * z + 1.0)
    } else {
        let z = (-(1.0 - x).ln()).ln();
        let mut sum = C[8];
        for &c in C[..8].iter().rev() {
            sum = sum * z + c;
        }
        sum
    };
    if negate { -z } else { z }
}

#[gpu_kernel]
fn inverse_cnd(out: &mut [f32], n: u32) {
    let distance = u32::MAX / (n + 1);
    let tid = global_id() as u32;
    for pos in (tid..n).step_by(global_size()) {
        out[pos] = moro_inv_cnd((pos + 1) * distance);
    }
}

fn quasirandom_numbers_are_tables_joined(device: &Device) {
    let n = 100usize;
    let out = written(device, (3 * n, f32::NAN), |out| {
        quasirandom(out, 77, n as u32).grid(2).block([32, 3]).launch(device)
    });
    for (i, got) in out.iter().enumerate() {
        let data = 77 + (i % n) as u32;
        let bits = (0..31).filter(|b| data >> b & 1 != 0).fold(0, |all, b| all ^ direction(i / n, b));
        assert_eq!(*got, (bits + 1) as f32 * (1.0 / 0x8000_0001u32 as f32), "on {}", device.name());
    }
}

fn quasirandom_numbers_become_normal(device: &Device) {
    let n = 200usize;
    let out =
        written(device, (n, f32::NAN), |out| inverse_cnd(out, n as u32).grid(2).block(64).launch(device));
    for (i, got) in out.iter().enumerate() {
        let p = normal(f64::from(*got));
        assert!((p - (i + 1) as f64 / (n + 1) as f64).abs() < 1e-5, "{i}: {got} gives {p}");
    }
}

/// `MonteCarloOneBlockPerOption`, with the pay-off as a closure.
#[gpu_fn]
fn end_call_value(s: f32, x: f32, r: f32, mu: f32, v: f32) -> f32 {
    (s * (mu + v * r).exp() - x).max(0.0)
}

#[gpu_fn]
fn sum_reduce<const N: usize>(sum: &mut [f32], sum2: &mut [f32]) {
    let tid = thread_idx().x as usize;
    let mut stride = N / 2;
    while stride >= 1 {
        sync_threads();
        if tid < stride {
            sum[tid] += sum[tid + stride];
            sum2[tid] += sum2[tid + stride];
        }
        stride >>= 1;
    }
    sync_threads();
}

#[gpu_kernel]
fn monte_carlo<const N: usize>(out: &mut [F32x2], samples: &[f32], s: f32, x: f32, mu: f32, v: f32) {
    let mut s_sum = shared!([f32; N]);
    let mut s_sum2 = shared!([f32; N]);
    let mut sum = (0.0f32, 0.0f32);
    for i in (thread_idx().x as usize..samples.len()).step_by(N) {
        let call = end_call_value(s, x, samples[i], mu, v);
        sum.0 += call;
        sum.1 += call * call;
    }
    s_sum[thread_idx().x] = sum.0;
    s_sum2[thread_idx().x] = sum.1;
    sum_reduce::<N>(&mut s_sum, &mut s_sum2);
    if thread_idx().x == 0 {
        out[block_idx().x] = F32x2::new(s_sum[0], s_sum2[0]);
    }
}

fn options_are_simulated(device: &Device) {
    let samples: Vec<f32> = noise(500, 7).iter().map(|v| v * 2.0).collect();
    let input = up(device, &samples);
    let (s, x, mu, v) = (20.0, 18.0, 0.05, 0.2);
    let out = written(device, (2, F32x2::splat(f32::NAN)), |out| {
        monte_carlo::<64>(out, &input, s, x, mu, v).grid(2).block(64).launch(device)
    });
    let values: Vec<f32> = samples.iter().map(|r| (s * (mu + v * r).exp() - x).max(0.0)).collect();
    let want = [values.iter().sum::<f32>(), values.iter().map(|v| v * v).sum()];
    for got in out {
        assert_close(&[got.x, got.y], &want, 1e-5);
    }
}

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Interval {
    low: f64,
    high: f64,
}

#[gpu_impl]
impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval { low: add_rd(self.low, other.low), high: add_ru(self.high, other.high) }
    }
}

#[gpu_impl]
impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

#[gpu_impl]
impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

#[gpu_impl]
impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let low = mul_rd(self.low, other.low)
            .min(mul_rd(self.low, other.high))
            .min(mul_rd(self.high, other.low))
            .min(mul_rd(self.high, other.high));
        let high = mul_ru(self.low, other.low)
            .max(mul_ru(self.low, other.high))
            .max(mul_ru(self.high, other.low).max(mul_ru(self.high, other.high)));
        Interval { low, high }
    }
}

#[gpu_impl]
impl From<f64> for Interval {
    fn from(v: f64) -> Self {
        Self { low: v, high: v }
    }
}

#[gpu_impl]
impl Interval {
    fn width(&self) -> f64 {
        sub_ru(self.high, self.low)
    }
    fn contains(self, v: f64) -> bool {
        (self.low..=self.high).contains(&v)
    }
    fn median(self) -> f64 {
        (self.low + self.high) * 0.5
    }
}

/// `f(x) = x³ - x - k`
#[gpu_fn]
fn cubic<T: Copy + GpuType + Add<Output = T> + Sub<Output = T> + Mul<Output = T>>(x: T, k: T) -> T {
    x * x * x - x - k
}

/// Roots by bisection of intervals, with a stack in local memory.
#[gpu_kernel]
fn bisect(out: &mut [Interval], k: &[f64]) {
    const DEPTH: usize = 64;
    let i = global_id();
    if i >= k.len() {
        return;
    }
    let mut stack = [Interval::from(0.0); DEPTH];
    stack[0] = Interval { low: -4.0, high: 4.0 };
    let mut top = 1;
    while top > 0 {
        top -= 1;
        let x = stack[top];
        let f = cubic(x, Interval::from(k[i]));
        if !f.contains(0.0) {
            continue;
        }
        if x.width() < 1e-9 {
            out[i] = x;
            break;
        }
        let c = x.median();
        stack[top] = Interval { high: c, ..x };
        stack[top + 1] = Interval { low: c, ..x };
        top += 2;
    }
}

fn intervals_enclose_a_root(device: &Device) {
    let k = [0.5f64, 3.0, 20.0, -7.0];
    let input = up(device, &k);
    let fill = Interval { low: 9.0, high: 9.0 };
    let out = written(device, (4, fill), |out| bisect(out, &input).over(4).launch(device));
    for (x, k) in out.iter().zip(k) {
        assert!(x.high - x.low < 1e-9 && cubic(x.low, k).abs() < 1e-6, "{x:?}");
    }
}
