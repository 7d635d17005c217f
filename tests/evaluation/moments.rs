//! Heads of loops and sources of iterators: each part is evaluated once, before the first iteration.

#![allow(unused_assignments)]

use warpsmith::prelude::*;

use super::agree;

/// A step and a bound in a struct.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Walk {
    step: usize,
    end: u64,
}

#[gpu_kernel]
fn step_by_a_variable(x: &[u64], out: &mut [u64]) {
    let mut s = x[2] as usize;
    for i in (0..10u64).step_by(s) {
        s = 3;
        out[0] += i;
    }
    out[1] = s as u64;
}

#[gpu_kernel]
fn step_by_places(x: &[u64], out: &mut [u64]) {
    let mut walk = Walk { step: x[2] as usize, end: x[9] };
    for i in (0..walk.end).step_by(walk.step) {
        walk = Walk { step: 1, end: 3 };
        out[0] += i;
    }
    let mut steps = [2usize, 5];
    for i in (0..11i32).step_by(steps[1]) {
        steps[1] = 1;
        out[1] += i as u64;
    }
    out[4] = 3;
    for i in (1..=20u32).step_by(out[4] as usize) {
        out[4] = 7;
        out[2] = out[2] * 3 + i as u64;
    }
    let mut n = 4usize;
    let r = &mut n;
    for i in (0..30u8).step_by(*r) {
        *r += 1;
        out[3] = out[3] * 3 + i as u64;
    }
}

#[gpu_kernel]
fn reversed_from_a_variable(x: &[u64], out: &mut [u64]) {
    let mut s = x[8];
    for i in (s..10).rev() {
        s = 0;
        out[0] += i;
    }
    s = x[7];
    for i in (s..=10).rev() {
        s = 0;
        out[1] += i;
    }
    out[2] = s;
}

#[gpu_kernel]
fn ends_at_a_place(x: &[u64], out: &mut [u64]) {
    let mut n = x[6];
    for i in 0..n {
        n = 3;
        out[0] += i;
    }
    out[1] = 4;
    for i in 0..=out[1] {
        out[1] = i;
        out[2] += i;
    }
    let mut walk = Walk { step: 1, end: 5 };
    for i in walk.step as u64..walk.end {
        walk.end += 1;
        out[3] += i;
    }
}

#[gpu_kernel]
fn ends_at_the_length_of_another_slice(x: &[u64], out: &mut [u64]) {
    let longer = &x[2..14];
    let mut s = &x[..6];
    for i in 0..s.len() {
        s = longer;
        out[0] += s[i];
    }
    out[1] = s.len() as u64;
}

#[gpu_kernel]
fn elements_of_the_slice_that_it_was(x: &[u64], out: &mut [u64]) {
    let t = &x[4..12];
    let mut s = &x[1..7];
    let mut c = 0u64;
    for v in s.iter() {
        s = t;
        c = c * 3 + v;
    }
    s = &x[1..7];
    for v in s {
        s = t;
        c = c * 3 + v;
    }
    s = &x[1..7];
    for (i, v) in s.iter().enumerate() {
        s = t;
        c = c * 3 + v + i as u64;
    }
    s = &x[1..7];
    for v in s.iter().rev().copied() {
        s = t;
        c = c * 3 + v;
    }
    s = &x[1..7];
    for (a, b) in s.iter().zip(x[..6].iter()).skip(1) {
        s = t;
        c = c * 3 + a * b;
    }
    out[0] = c;
    out[1] = s.len() as u64;
}

#[gpu_kernel]
fn consumers_of_the_slice_that_it_was(x: &[u64], out: &mut [u64]) {
    let t = &x[4..12];
    let mut s = &x[1..7];
    out[0] = s.iter().any(|v| {
        s = t;
        *v == 5
    }) as u64
        * 7;
    s = &x[1..7];
    out[1] = s
        .iter()
        .map(|v| {
            s = t;
            *v
        })
        .max()
        .unwrap_or(3);
    s = &x[1..7];
    out[2] = s
        .iter()
        .map(|v| {
            s = t;
            *v
        })
        .sum();
    s = &x[1..7];
    out[3] = s
        .iter()
        .filter(|v| {
            s = t;
            **v > 4
        })
        .count() as u64;
    s = &x[1..7];
    out[4] = s.iter().fold(1, |c, v| {
        s = t;
        c * 3 + v
    });
    out[5] = s.len() as u64;
}

#[gpu_fn]
fn shrinking(mut s: &[u64], n: usize) -> u64 {
    let mut c = 0;
    for v in s {
        if s.len() > n {
            s = &s[1..];
        }
        c = c * 2 + v + s.len() as u64;
    }
    c
}

#[gpu_kernel]
fn parameters_that_are_reassigned(x: &[u64], out: &mut [u64]) {
    out[0] = shrinking(&x[..7], 3);
    out[1] = shrinking(&x[5..], 0);
}

#[gpu_kernel]
fn adapters_keep_their_counts(x: &[u64], out: &mut [u64]) {
    let mut n = x[3] as usize;
    let mut c = 0u64;
    for v in x.iter().skip(n).take(n + 2).step_by(n - 1) {
        n = 1;
        c = c * 5 + v;
    }
    let mut rows = [[1u64, 2, 3], [4, 5, 6]];
    let mut row = 1;
    for v in rows[row].iter() {
        row = 0;
        c = c * 5 + v;
    }
    for v in rows[row].iter_mut() {
        *v += c;
    }
    out[0] = c;
    out[1] = rows[0][2];
}

#[gpu_kernel]
fn unguarded_by_a_head_that_changed(x: &[u64], out: &mut [u64]) {
    let mut a = [0u64; 16];
    let mut s = x[4] as usize;
    for i in (s..10).rev() {
        s = 0;
        a[i - 2] += i as u64;
    }
    for v in 0..12 {
        out[v] = a[v];
    }
    out[15] = s as u64;
}

agree! {
    step_by_a_variable step_by_places reversed_from_a_variable ends_at_a_place ends_at_the_length_of_another_slice
    elements_of_the_slice_that_it_was consumers_of_the_slice_that_it_was parameters_that_are_reassigned
    adapters_keep_their_counts unguarded_by_a_head_that_changed
}

#[test]
fn heads_read_nothing_again() -> warpsmith::Result<()> {
    for cuda in [
        step_by_a_variable::cuda_source()?,
        step_by_places::cuda_source()?,
        reversed_from_a_variable::cuda_source()?,
        ends_at_a_place::cuda_source()?,
        ends_at_the_length_of_another_slice::cuda_source()?,
    ] {
        for head in cuda.lines().filter(|line| line.contains("for (")) {
            for place in ["s_len", "walk.", "steps[", "out[", " s ", "*r", " s;", " n;"] {
                let (_, rest) = head.split_once(';').expect("a head has a condition");
                assert!(!rest.contains(place), "`{place}` in `{head}` of\n{cuda}");
            }
        }
    }
    Ok(())
}
