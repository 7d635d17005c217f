//! The host time that each launch spends on its conditions, which decide what checks, casts and reloads of slices the
//! launch does not need.
//!
//! Needs no GPU. Each line is about a kernel with 4, 16 or 32 arguments: the nanoseconds of computing a launch's shape, the
//! same with the conditions evaluated, for launches with changing and with unchanged numbers, and the number of conditions.

#![allow(clippy::too_many_arguments, reason = "how many there are is what is measured")]

use std::hint::black_box;
use std::time::Instant;

use warpsmith::launch::AskedConditions;
use warpsmith::prelude::*;

/// A kernel without conditions.
#[gpu_kernel]
fn none(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] = 1.0;
    }
}

#[gpu_kernel]
fn of_4(a: &[f32], b: &mut [f32], n: u32, s: f32) {
    let i = global_id() as u32;
    if i < n {
        b[i] = a[i] * s + a[2 * i + 1];
    }
}

#[gpu_kernel]
#[rustfmt::skip]
fn of_16(
    a: &[f32], b: &[f32], c: &[f32], d: &mut [f32], n0: u32, n1: u32, n2: u32, n3: u32, n4: u32, n5: u32,
    s0: f32, s1: f32, s2: f32, s3: f32, s4: f32, s5: f32,
) {
    let i = global_id() as u32;
    if i < n0 {
        let mut sum = s0 + s1 + s2 + s3 + s4 + s5;
        for k in 0..n1 {
            sum += a[i * n2 + k] * b[k * n3 + i] + c[k + n4];
        }
        d[i * n5] = sum;
    }
}

#[gpu_kernel]
#[rustfmt::skip]
fn of_32(
    a: &[f32], b: &[f32], c: &[f32], d: &[f32], e: &[f32], f: &[f32], g: &[f32], h: &mut [f32],
    n0: u32, n1: u32, n2: u32, n3: u32, n4: u32, n5: u32, n6: u32, n7: u32, n8: u32, n9: u32, n10: u32, n11: u32,
    s0: f32, s1: f32, s2: f32, s3: f32, s4: f32, s5: f32, s6: f32, s7: f32, s8: f32, s9: f32, s10: f32, s11: f32,
) {
    let i = global_id() as u32;
    if i < n0 {
        let mut sum = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;
        for k in 0..n1 {
            sum += a[i * n2 + k] + b[k * n3 + i] + c[k * n4 + i] + d[i * n5 + k];
            sum += e[i * n6 + k] + f[k * n7 + i] + g[(i + k) * n8 + n9] + a[k + n10] + b[i + n11];
            sum += c[i] + d[k] + e[n2 + k] + f[n3] + g[n4 * k] + a[n5 + i] + b[2 * k + 1];
        }
        h[i] = sum;
        h[i * n10] = sum;
        h[n11] = sum;
    }
}

/// Nanoseconds of a call: the median of many rounds.
fn nanoseconds(mut call: impl FnMut(u32)) -> f64 {
    let mut times: Vec<f64> = (0..101u32)
        .map(|round| {
            let start = Instant::now();
            (0..1000).for_each(|i| call(1000 * round + i));
            start.elapsed().as_secs_f64() * 1e9 / 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Measures one kernel; the launch has a number that may change.
macro_rules! measure {
    ($name:literal, $y:ident, |$n:pat_param| $launch:expr) => {{
        let asked = {
            let ($n, $y) = (1u32, &mut $y);
            AskedConditions::new(&$launch).expect("it is valid")
        };
        let plain = nanoseconds(|i| {
            let ($n, $y) = (black_box(1 + i % 8), &mut $y);
            black_box(AskedConditions::shape(&$launch).expect("a shape"));
        });
        let same = nanoseconds(|_| {
            let ($n, $y) = (black_box(1), &mut $y);
            black_box(asked.of(&$launch).expect("a shape"));
        });
        let other = nanoseconds(|i| {
            let ($n, $y) = (black_box(1 + i % 8), &mut $y);
            black_box(asked.of(&$launch).expect("a shape"));
        });
        println!("ours conditions_{} {} asked", $name, asked.count());
        println!("ours conditions_{}_none {plain:.0} ns", $name);
        println!("ours conditions_{}_same {same:.0} ns", $name);
        println!("ours conditions_{}_other {other:.0} ns", $name);
    }};
}

fn main() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 4096])?;
    let mut y = device.upload(&[1.0f32; 4096])?;
    measure!("0", y, |_| none(&mut *y).grid(1).block(32));
    measure!("4", y, |n| of_4(&x, &mut *y, n, 1.0).grid(1).block(32));
    measure!("16", y, |n| {
        of_16(&x, &x, &x, &mut *y, n, 2, 3, 4, 5, 1, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0).grid(1).block(32)
    });
    measure!("32", y, |n| {
        of_32(
            &x, &x, &x, &x, &x, &x, &x, &mut *y, n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.0, 1.0, 2.0, 3.0,
            4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0,
        )
        .grid(1)
        .block(32)
    });
    Ok(())
}
