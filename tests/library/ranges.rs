//! Ranges as values: under a name, given to functions and back, walked, asked and taken apart.

use core::ops::{Range, RangeInclusive};

use warpsmith::prelude::*;

use super::{everywhere, written};

/// The part of `n` items that is a thread's own.
#[gpu_fn]
fn share(t: u32, threads: u32, n: u32) -> Range<u32> {
    let each = n.div_ceil(threads);
    (t * each).min(n)..((t + 1) * each).min(n)
}

#[gpu_fn]
fn sum_of<T: Num>(x: &[T], part: Range<u32>) -> T {
    let mut sum = T::default();
    for i in part {
        sum += x[i];
    }
    sum
}

#[gpu_fn]
fn around(i: i32) -> RangeInclusive<i32> {
    i - 2..=i + 2
}

#[gpu_fn]
fn asked(v: i32, x: &[u32]) -> [u32; 16] {
    let mut out = [0; 16];
    let near: RangeInclusive<i32> = around(v);
    out[0] = near.contains(&3) as u32 + 2 * near.is_empty() as u32;
    out[1] = (*near.start() + 10 + *near.end()) as u32;
    for (k, i) in near.clone().enumerate() {
        out[2] += (i + 100) as u32 * k as u32;
    }
    out[3] = near.rev().map(|i| (i + 50) as u32).fold(7, |a, b| a * 3 + b);
    let floats = v as f32..3.5;
    out[4] = floats.contains(&2.0) as u32 + 2 * floats.is_empty() as u32;
    let wide = 1u64 << 40..(1u64 << 40) + (v.unsigned_abs() as u64 % 9);
    out[5] = wide.contains(&((1 << 40) + 3)) as u32 + (wide.end - wide.start) as u32 * 2;
    out[6] = wide.step_by(2).map(|w| w as u32 + 1).sum::<u32>();
    let bytes: RangeInclusive<u8> = 250..=255;
    out[7] = bytes.len() as u32;
    out[8] = bytes.clone().map(|b| b as u32).sum();
    out[9] = bytes.skip(2).count() as u32;
    let mut part = share(v.unsigned_abs() % 4, 4, x.len() as u32);
    out[10] = sum_of(x, part.clone());
    part.start += 1;
    out[11] = sum_of(x, part.clone()) + part.len() as u32 * 1000;
    let kept = part.clone();
    part = 0..2;
    out[12] = part.end * 100 + kept.start * 10 + kept.end;
    let small = -3i8..-1;
    for s in small.clone() {
        out[13] += (s + 10) as u32;
    }
    out[14] = small.len() as u32 + (5..2).len() as u32 + (2..=2).is_empty() as u32;
    let empty = 9..v;
    out[15] = empty.len() as u32 * 100 + empty.is_empty() as u32;
    for i in 0..x.len() {
        if (2..5).contains(&i) && kept.contains(&(i as u32)) {
            out[15] += x[i];
        }
    }
    out
}

#[gpu_kernel]
fn ranges(v: &[i32], x: &[u32], out: &mut [u32]) {
    let own = 0..v.len();
    let i = global_id();
    if own.contains(&i) {
        let found = asked(v[i], x);
        let at = i * 16..(i + 1) * 16;
        for k in at.clone() {
            out[k] = found[k - at.start];
        }
    }
}

#[test]
fn ranges_are_values() {
    everywhere::<ranges>(&(), |device| {
        let v: Vec<i32> = (-6..14).collect();
        let x: Vec<u32> = (0..11).map(|i| i * i + 1).collect();
        let (dv, dx) = (device.upload(&v).expect("memory"), device.upload(&x).expect("memory"));
        let out =
            written(device, (v.len() * 16, 0), |out| ranges(&dv, &dx, out).over(32).block(32).launch(device));
        let on_host = device.is_simulator().then(|| v.iter().flat_map(|v| by_hand(*v, &x)).collect());
        assert_eq!(out, on_host.unwrap_or_else(|| out.clone()));
        let text = ranges::cuda_source().expect("a kernel").to_string();
        assert!(text.contains("for (unsigned int i = part.start; i < part.end; ++i)"), "{text}");
    });
}

/// [`asked`] in Rust's own words.
fn by_hand(v: i32, x: &[u32]) -> [u32; 16] {
    let share = |t: u32| -> Range<u32> {
        let (n, each) = (x.len() as u32, (x.len() as u32).div_ceil(4));
        (t * each).min(n)..((t + 1) * each).min(n)
    };
    let sum = |r: Range<u32>| r.map(|i| x[i as usize]).sum::<u32>();
    let near = v - 2..=v + 2;
    let wide = 1u64 << 40..(1u64 << 40) + (v.unsigned_abs() as u64 % 9);
    let part = share(v.unsigned_abs() % 4);
    let next = part.start + 1..part.end;
    let inside: u32 = (2..5usize).filter(|i| next.contains(&(*i as u32))).map(|i| x[i]).sum();
    [
        near.contains(&3) as u32,
        (2 * v + 10) as u32,
        near.clone().enumerate().map(|(k, i)| (i + 100) as u32 * k as u32).sum(),
        near.rev().map(|i| (i + 50) as u32).fold(7, |a, b| a * 3 + b),
        (v as f32..3.5).contains(&2.0) as u32 + 2 * (v as f32..3.5).is_empty() as u32,
        wide.contains(&((1 << 40) + 3)) as u32 + (wide.end - wide.start) as u32 * 2,
        wide.step_by(2).map(|w| w as u32 + 1).sum::<u32>(),
        6,
        (250..=255).sum(),
        4,
        sum(part),
        sum(next.clone()) + next.len() as u32 * 1000,
        200 + next.start * 10 + next.end,
        7 + 8,
        2,
        (9..v).len() as u32 * 100 + (9..v).is_empty() as u32 + inside,
    ]
}
