//! Closures: `move` takes copies where the closure is written, and a copy of it has its own.

#![allow(unused_assignments)]

use core::ops::{Index, IndexMut};

use warpsmith::prelude::*;

use super::agree;

#[gpu_fn]
fn apply(f: impl Fn(u64) -> u64, v: u64) -> u64 {
    f(v)
}

#[gpu_fn]
fn twice(mut f: impl FnMut(u64) -> u64) -> u64 {
    f(1) * 100 + f(2)
}

#[gpu_fn]
fn again<F: FnMut(u64) -> u64 + Copy>(f: F) -> u64 {
    twice(f) * 10000 + twice(f)
}

#[gpu_kernel]
fn adapters_capture_by_value(x: &[u64], out: &mut [u64]) {
    let mut w = 2u64;
    for a in (0..4u64).map(move |v| v * w) {
        w = 50;
        out[0] += a;
    }
    w = 3;
    for a in x.iter().filter(move |v| **v > w).map(move |v| v + w) {
        w = 0;
        out[1] += a;
    }
    w = 1;
    let mut c = 0;
    out[2] = (0..5u64)
        .map(move |v| {
            c += v;
            c * w
        })
        .sum::<u64>()
        + c;
    w = 5;
    (0..3u64).for_each(move |v| {
        w += v;
    });
    out[3] = w;
    let mut s = &x[3..8];
    for a in (0..3usize).map(move |i| s[i]) {
        s = &x[1..4];
        out[4] = out[4] * 2 + a + s.len() as u64;
    }
    out[5] = (0..3u64).fold(
        {
            w += 1;
            w
        },
        move |c, v| c * 3 + v + w,
    );
}

#[gpu_kernel]
fn arguments_capture_where_they_stand(x: &[u64], out: &mut [u64]) {
    let mut n = x[2];
    out[0] = apply(move |v| v + n, {
        n += 5;
        n
    });
    let f = move |v: u64| v * n;
    n = 100;
    out[1] = f(3) + apply(f, n);
    let mut seen = [1u64, 2, 3];
    let g = move |v: u64| v + seen[1];
    seen[1] = 40;
    out[2] = g(1) + seen[1];
}

#[gpu_kernel]
fn copies_have_their_own_state(x: &[u64], out: &mut [u64]) {
    let mut c = x[1];
    let mut g = move |v: u64| {
        c += v;
        c
    };
    out[0] = twice(g);
    out[1] = twice(g);
    out[2] = g(10);
    out[3] = twice(g);
    out[4] = twice(&mut g);
    out[5] = g(0) + c;
    out[6] = again(move |v| {
        c = c * 2 + v;
        c
    });
    let mut h = |v: u64| {
        c += v;
        c
    };
    out[7] = twice(&mut h);
    out[8] = h(1);
    out[9] = c;
}

/// A number that can be indexed.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Row {
    at: [u64; 4],
}

#[gpu_impl]
impl Index<usize> for Row {
    type Output = u64;
    fn index(&self, i: usize) -> &u64 {
        &self.at[i]
    }
}

#[gpu_impl]
impl IndexMut<usize> for Row {
    fn index_mut(&mut self, i: usize) -> &mut u64 {
        self.at[0] += 1;
        &mut self.at[i]
    }
}

#[gpu_impl]
impl Row {
    fn with(&mut self, f: impl Fn(u64) -> u64) -> &mut Row {
        self.at[3] = f(self.at[3]);
        self
    }
}

#[gpu_kernel]
fn closures_in_places(x: &[u64], out: &mut [u64]) {
    let mut v = x[2];
    out[{
        v = apply(|c| c + 1, v);
        0usize
    }] ^= 4;
    out[{
        v = twice(|c| c + v);
        1usize
    }] += v;
    let mut row = Row { at: [1, 2, 3, 4] };
    row.with(|c| c * 3)[2] += v;
    row.with(|c| c + 5)[1] *= apply(|c| c + 2, v);
    out[2] = row.with(|c| c ^ 1)[3];
    out[{
        let f = |c: u64| c + 1;
        f(2) as usize & 7
    }] ^= *row.with(|c| c + 7).at.iter().max().unwrap_or(&0);
    row.with(|c| c + 9).at[{
        let mut n = 0usize;
        let mut g = |k: usize| n += k;
        g(1);
        n
    }] -= v & 1;
    out[4] = row.at[0] * 1000 + row.at[1] * 100 + row.at[2] * 10 + row.at[3];
}

#[gpu_fn]
fn folded<F: Fn(i64) -> i64>(f: F, v: i64) -> i64 {
    f(v) + f(v + 1)
}

#[gpu_kernel]
fn parameters_take_their_types_from_the_function(x: &[u64], out: &mut [u64]) {
    let n = x[3] as i64;
    out[0] = folded(|c| -c, n) as u64;
    out[1] = folded(|c| !c, n) as u64;
    out[2] = folded(|c| c.wrapping_mul(n).abs(), -n) as u64;
    out[3] = folded(move |c| (-c).max(n), n) as u64;
}

/// Two numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Two {
    d: [u64; 2],
}

#[gpu_impl]
impl core::ops::AddAssign for Two {
    fn add_assign(&mut self, other: Two) {
        self.d = [self.d[0] + other.d[0], self.d[1] + other.d[1]];
    }
}

#[gpu_impl]
impl core::ops::Index<usize> for Two {
    type Output = u64;
    fn index(&self, i: usize) -> &u64 {
        &self.d[i]
    }
}

#[gpu_impl]
impl core::ops::IndexMut<usize> for Two {
    fn index_mut(&mut self, i: usize) -> &mut u64 {
        &mut self.d[i]
    }
}

#[gpu_impl]
impl Two {
    fn map(self, f: impl Fn(u64) -> u64) -> Two {
        Two { d: [f(self.d[0]), f(self.d[1])] }
    }
    fn each(&mut self, f: impl Fn(u64) -> u64) -> &mut Two {
        self.d = [f(self.d[0]), f(self.d[1])];
        self
    }
}

#[gpu_kernel]
fn closures_inside_of_places(x: &[u64], out: &mut [u64]) {
    let k = x[3];
    let mut h = [0u64; 8];
    h[apply(|v| v + k, 1) as usize] += apply(|v| v * k, 2);
    h[apply(|v| v % 8, k * 4) as usize] <<= 1;
    out[0] = h[4];
    let mut q = [Two { d: [1, 2] }; 4];
    q[apply(|v| v - 1, k) as usize] += Two { d: [apply(|v| v, 5), k] };
    q[apply(|v| v - 2, k) as usize].d[1] += apply(|v| v, 9);
    out[1] = q[2].d[0] * 100 + q[1].d[1];
    let mut v = Two { d: [x[1], x[2]] };
    out[2] = v.map(|a| a + k)[0] * 100 + v.map(|a| a * 3)[apply(|v| v, 1) as usize];
    v.each(|a| a + 1)[1] = 7;
    v.each(|a| a + k)[apply(|v| v, 0) as usize] += apply(|a| a + k, 1);
    out[3] = v.d[0] * 100 + v.d[1];
    out[4] = v.each(|a| a * 2)[1].max(3).pow(2);
    let r = &mut v.each(|a| a)[0];
    *r += 1;
    out[5] = v.d[0];
}

#[gpu_kernel]
fn parts_of_what_never_changes(x: &[u64], out: &mut [u64]) {
    let table = [x[1], x[2], x[3], x[4]];
    let mut part = &table[1..];
    out[0] = apply(|v| v * 9, x[2]).div_euclid(table[x[1] as usize & 3].max(1)) + part[0];
    part = &part[1..];
    out[1] = apply(|v| v + part[0], 5) % (table[3] + 2);
}

agree! {
    adapters_capture_by_value arguments_capture_where_they_stand copies_have_their_own_state
    parameters_take_their_types_from_the_function closures_in_places closures_inside_of_places
    parts_of_what_never_changes
}
