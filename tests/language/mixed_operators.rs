//! Operators between numbers and structs, on either side, with literals and without.

use core::ops::{Add, AddAssign, Mul, Shl, Sub};

use warpsmith::prelude::*;

use super::{everywhere, written};

#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Cx {
    re: i32,
    im: i32,
}

#[gpu_impl]
impl Mul<Cx> for i32 {
    type Output = Cx;
    fn mul(self, o: Cx) -> Cx {
        Cx { re: self * o.re, im: self * o.im }
    }
}

#[gpu_impl]
impl Mul<i64> for Cx {
    type Output = Cx;
    fn mul(self, by: i64) -> Cx {
        Cx { re: self.re * by as i32, im: -self.im }
    }
}

#[gpu_impl]
impl Sub<Cx> for u8 {
    type Output = i32;
    fn sub(self, o: Cx) -> i32 {
        self as i32 - o.re
    }
}

#[gpu_impl]
impl Add<f32> for Cx {
    type Output = f32;
    fn add(self, x: f32) -> f32 {
        self.re as f32 + x
    }
}

#[gpu_impl]
impl Mul<Cx> for f32 {
    type Output = f32;
    fn mul(self, o: Cx) -> f32 {
        self * o.im as f32
    }
}

#[gpu_impl]
impl Shl<u16> for Cx {
    type Output = Cx;
    fn shl(self, n: u16) -> Cx {
        Cx { re: self.re << n, im: self.im }
    }
}

#[gpu_impl]
impl AddAssign<u64> for Cx {
    fn add_assign(&mut self, n: u64) {
        self.re += n as i32;
        self.im -= 1;
    }
}

/// A number that only wraps another.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(transparent)]
struct Meters(f32);

#[gpu_impl]
impl Add<i32> for Meters {
    type Output = Meters;
    fn add(self, n: i32) -> Meters {
        Meters(self.0 + n as f32)
    }
}

#[gpu_fn]
fn mixed(v: i32) -> [i32; 8] {
    let b = Cx { re: v, im: 2 };
    let t = 3;
    let [first, _] = [b, b];
    let mut c = 3 * b;
    c += 5;
    let mut many = [b; 2];
    many[1] += 7u64;
    many[0] += 1;
    let d = b * 3;
    let e = 3i32 * (t * first) * 2i64;
    let f = 200 - b;
    let g = b + 1.5 + 2.0 * b;
    let h = (b << 2).re;
    let m = Meters(v as f32) + 4;
    [c.re, c.im, d.re * 100 + d.im, e.re + e.im, f, g as i32, h + many[1].re + many[0].im, m.0 as i32]
}

#[gpu_kernel]
fn operators(x: &[i32], out: &mut [i32], v: F32x2, w: &mut [F32x2]) {
    let i = global_id();
    let found = mixed(x[i]);
    for (k, value) in found.iter().enumerate() {
        out[i * 8 + k] = *value + x[i] * 2 - 2 * x[i];
    }
    let mut u = 2.0 * v + v * 3.0;
    u *= 2.0;
    w[i] = u - 1.0 * v;
}

#[test]
fn a_number_may_stand_on_either_side() {
    everywhere::<operators>(&(), |device| {
        let x = [0, 1, -5, 30];
        let input = device.upload(&x).expect("memory");
        let mut w = device.upload(&[F32x2::splat(0.0); 4]).expect("memory");
        let v = F32x2::new(1.0, -2.0);
        let out =
            written(device, (32, 0), |out| operators(&input, out, v, &mut w).grid(1).block(4).launch(device));
        assert_eq!(out, x.map(mixed).concat());
        assert_eq!(device.download(&w).expect("memory"), [F32x2::new(9.0, -18.0); 4]);
    });
}
