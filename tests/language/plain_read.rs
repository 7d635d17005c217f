//! Indices that a guard reads from memory, and those that the variant of an option tells of: right as in plain Rust, and proven.

#![allow(
    clippy::needless_range_loop,
    unused_variables,
    clippy::unnecessary_lazy_evaluations,
    clippy::unnecessary_filter_map,
    reason = "guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// Half of a number, unless there is nothing before it.
#[gpu_fn]
fn half_behind(i: usize, n: usize) -> Option<f32> {
    if i > 0 && i <= n { Some(i as f32 / 2.0) } else { None }
}

plain! { read(i, x):
    read_twice {
        if x[i] < 70 { x[x[i] as usize] } else { 1 }
    }
    read_by_iterators {
        let part = &x[..40];
        part.iter().filter(|&&n| (n as usize) < part.len()).map(|&n| part[n as usize] >> 1).fold(0, |h: u64, v| h.rotate_left(5) ^ v)
    }
    read_in_a_loop {
        let mut h = 0;
        for k in i..i + 8 {
            if x[k] >= x.len() as u64 {
                continue;
            }
            h = x[x[k] as usize] ^ h << 1;
        }
        h
    }
    another_slice {
        let (a, b) = (&x[..50], &x[10..60]);
        let Some(v) = a.get(i) else { return 2 };
        v ^ b[i]
    }
    another_slice_by_a_match {
        let (a, b) = (&x[..50], &x[3..53]);
        match a.get(i).copied() {
            Some(v) => v ^ b[i],
            None => 3,
        }
    }
    own_function {
        match half_behind(i, x.len()) {
            Some(half) => x[i - 1] ^ half as u64,
            None => 4,
        }
    }
    cursors {
        let part = &x[i..i + 8];
        let (mut k, mut h) = (0, 0);
        while let Some(&v) = part.get(k) {
            k += 1;
            h = (h ^ v ^ part[k - 1]).rotate_left(3);
        }
        h
    }
    differences {
        let mut h = i.checked_sub(1).map_or(0, |j| x[j]);
        if let Some(j) = i.checked_sub(5) {
            h ^= x[j] << 1;
        }
        let mut k = 8;
        while let Some(j) = usize::checked_sub(k, 1) {
            h = h.rotate_left(1) ^ x[i + j];
            k = j;
        }
        h
    }
    best_of_pairs {
        let part = &x[i..i + 8];
        let (k, most) = part.iter().enumerate().max_by_key(|&(_, v)| *v).unwrap();
        let Some((j, v)) = part.iter().enumerate().find(|(_, v)| **v % 3 == 1) else {
            return part[k] ^ most;
        };
        part[k] ^ part[j] ^ v
    }
    kept_pairs {
        let mut best = None;
        for k in 0..8 {
            if x[i + k] % 4 == 2 {
                best = Some((x[i + k] as u32, k, true));
            }
        }
        if let Some((v, k, _)) = best { x[k] ^ v as u64 } else { 5 }
    }
    listed {
        let mut r = [1u64, 2, 3, 4];
        for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3)] {
            r[a] ^= x[i + a] ^ r[b].rotate_left(b as u32);
        }
        for &(a, (b, _)) in &[(0usize, (3usize, true)), (2, (1, false))] {
            r.swap(a, b);
        }
        r[0] ^ r[1] << 1 ^ r[2] << 2 ^ r[3] << 3
    }
}

#[test]
fn indices_that_are_read_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn indices_that_are_read_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// A guard of one number, and an index by another: each must be a fault.
#[gpu_kernel]
fn another_number(x: &[u32], y: &mut [u32], at: usize, #[comptime] case: u32) {
    let mut k = at;
    y[1] = 4;
    y[0] = match case {
        // What the kernel writes may be another number when it is read again.
        0 if (y[1] as usize) < x.len() => {
            y[1] = 9;
            x[y[1] as usize]
        }
        1 if (x[k] as usize) < x.len() => {
            k += 1;
            x[x[k] as usize]
        }
        2 => {
            let Some(_) = x.get(k) else { return };
            k += 5;
            x[k]
        }
        3 => {
            let mut some = x.get(9);
            if x[0] == 0 {
                some = x.get(0);
            }
            if some.is_some() { x[at + 9] } else { 0 }
        }
        4 => {
            let mut pair = Some((k, 1.0f32));
            if let Some((first, _)) = &mut pair {
                *first += 7;
            }
            if let Some((first, _)) = pair { x[first] } else { 0 }
        }
        5 => {
            let mut pair = Some((0, k));
            if x[0] == 0 {
                pair = Some((8, 0));
            }
            if let Some((first, second)) = pair { x[first] + x[second] } else { 0 }
        }
        6 => match (k as i32).checked_sub(-9) {
            Some(sum) => x[sum as usize],
            None => 0,
        },
        7 => {
            let lent: &[u32] = &y[..];
            let first = (lent[1] as usize) < x.len();
            y[1] = 8;
            if first { x[y[1] as usize] } else { 0 }
        }
        8 => {
            let some = x.get(k);
            k += 6;
            if some.is_some() { x[k] } else { 0 }
        }
        9 => {
            let (mut some, mut other) = (x.get(9), x.get(0));
            std::mem::swap(&mut some, &mut other);
            if some.is_some() { x[at + 9] } else { 0 }
        }
        10 => {
            let mut some = x.get(at + 9);
            let mut fill = || some = x.get(0);
            fill();
            if some.is_some() { x[at + 9] } else { 0 }
        }
        _ => 0,
    };
}

#[test]
fn guards_of_other_numbers_prove_nothing() {
    let device = Device::simulator();
    let x = device.upload(&[0u32, 30, 0, 0, 0, 0]).expect("memory");
    for case in 0..11 {
        let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
        let at = if case == 2 { 3 } else { 0 };
        let explained = another_number(&x, &mut y, at, case).grid(1).block(1).explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let launch = another_number(&x, &mut y, at, case).grid(1).block(1);
        let error = launch.launch(&device).expect_err("it is outside").to_string();
        assert!(error.contains("is out of bounds for length 6"), "case {case}: {error}");
    }
}
