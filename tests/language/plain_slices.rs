//! Slices in variables that change: cursors, buffers that take turns and chosen slices, right as in plain Rust, and proven; what
//! something else may have changed stays checked.

#![allow(
    unused_assignments,
    unused_variables,
    clippy::len_zero,
    clippy::manual_swap,
    reason = "loops and guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { changing(i, x):
    cursor {
        let mut rest = &x[i..];
        let mut h = 0u64;
        while rest.len() >= 4 {
            h = h.rotate_left(3) ^ rest[0] ^ rest[3];
            rest = &rest[4..];
        }
        for v in rest {
            h ^= v;
        }
        h
    }
    cursor_of_records {
        let mut rest = x;
        let mut h = 0u64;
        while rest.len() > 0 {
            let n = (rest[0] % 5) as usize;
            if rest.len() <= n {
                break;
            }
            h = h.rotate_left(5) ^ rest[n];
            rest = &rest[n + 1..];
        }
        h ^ rest.len() as u64
    }
    split {
        let mut rest = x;
        let mut h = 0u64;
        while rest.len() >= 3 {
            let (head, tail) = rest.split_at(3);
            h = h.rotate_left(7) ^ head[0] ^ head[2];
            rest = tail;
        }
        h ^ rest.len() as u64
    }
    turns {
        let (a, b) = (&x[..40], &x[20..60]);
        let (mut from, mut other) = (a, b);
        let mut h = 0u64;
        for k in 0..9 {
            h = h.rotate_left(3) ^ from[k * 3] ^ other[39 - k];
            (from, other) = (other, from);
        }
        h
    }
    swapped {
        let (mut a, mut b) = ([1u64; 16], [2u64; 16]);
        for k in 0..16 {
            a[k] = x[i + k % 8];
        }
        let (mut from, mut to) = (&mut a[..], &mut b[..]);
        for round in 0..4 {
            for k in 0..16 {
                to[k] = from[(k + round) % 16] ^ from[15 - k];
            }
            std::mem::swap(&mut from, &mut to);
        }
        from[i % 16] ^ to[3]
    }
    chosen {
        let mut from = if i % 2 == 0 { &x[..30] } else { &x[40..] };
        let mut h = 0u64;
        for k in 0..6 {
            h = h.rotate_left(3) ^ from[k * 5];
            from = if x[k] % 2 == 0 { &x[1..33] } else { &x[9..41] };
        }
        h
    }
    ends {
        let mut part = &x[..i + 1];
        let mut h = 0u64;
        while part.len() >= 2 {
            h = h.rotate_left(3) ^ part[0] ^ part[part.len() - 1] << 1;
            part = &part[1..part.len() - 1];
        }
        h
    }
}

plain! { halves(i, x):
    halved {
        let mut part = x;
        let mut h = 0u64;
        while part.len() > 1 {
            let middle = part.len() / 2;
            h = h.rotate_left(1) ^ part[middle];
            part = if part[middle] % 2 == 0 { &part[middle..] } else { &part[..middle] };
        }
        h ^ part[0]
    }
}

#[test]
fn slices_that_change_are_those_of_plain_rust() {
    check::<changing::cases>();
    check::<halves::cases>();
}

#[test]
fn indices_in_slices_that_change_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * changing::cases::NAMES.len()).expect("memory");
    let explained = changing::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// A function that gives a part of its slice.
#[gpu_fn]
fn without_ends(x: &[u32]) -> &[u32] {
    &x[1..x.len() - 1]
}

/// Each case reads behind the end of its slice: a guard knew another one, or another length.
#[gpu_kernel]
fn changed(x: &[u32], other: &[u32], y: &mut [u32], zero: usize, #[comptime] case: u32) {
    let (mut a, mut b) = ([1u32; 8], [2u32; 4]);
    let mut part = x;
    y[0] = match case {
        0 => {
            // The guard is of the slice before.
            if part.len() > 5 {
                part = other;
            }
            part[5]
        }
        1 => {
            let (mut from, mut to) = (&mut a[..], &mut b[..]);
            std::mem::swap(&mut from, &mut to);
            from[zero + 7]
        }
        2 => {
            let (mut from, mut to) = (x, other);
            (from, to) = (to, from);
            from[5] + to[0]
        }
        3 => {
            for k in 0..3 {
                if k == 1 {
                    part = &part[..2];
                }
            }
            part[2 + zero]
        }
        4 => {
            let mut shrink = || part = &part[4..];
            shrink();
            part[2]
        }
        5 => {
            part = without_ends(part);
            part[4]
        }
        6 if part.len() > 3 => {
            let before = part.len();
            part = &part[2..];
            part[before - 1]
        }
        7 => {
            let copy = part;
            part = other;
            let last = copy.len() - 1;
            part[last]
        }
        8 => {
            let mut sum = 0;
            // One iteration too many of the shorter slice.
            for k in 0..6 {
                sum += part[k];
                part = if k > 2 { other } else { x };
            }
            sum
        }
        9 => {
            while part.len() > 2 {
                part = &part[1..];
            }
            part[2]
        }
        10 => {
            let mut turn = part;
            let mut next = other;
            for _ in 0..3 {
                let t = turn;
                turn = next;
                next = t;
            }
            turn[4] + next[5]
        }
        11 => {
            part = if zero == 0 { &part[..1] } else { part };
            part[1]
        }
        12 => {
            part = std::mem::replace(&mut part, other);
            part = other;
            part[5]
        }
        13 => {
            let mut bytes = x.reinterpret::<u64>();
            bytes = other.reinterpret::<u64>();
            bytes[3] as u32
        }
        _ => 0,
    };
}

#[test]
fn guards_of_other_slices_prove_nothing() {
    let device = Device::simulator();
    let (x, other) = (device.upload(&[1u32; 6]).expect("memory"), device.upload(&[1u32; 4]).expect("memory"));
    for case in 0..14 {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let explained = changed(&x, &other, &mut y, 0, case).grid(1).block(1).explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let launch = changed(&x, &other, &mut y, 0, case).grid(1).block(1);
        let error = launch.launch(&device).expect_err("it is outside").to_string();
        assert!(error.contains("is out of bounds for length"), "case {case}: {error}");
    }
}

/// The length is 4 unless the sum wraps, which a launch tells.
#[gpu_kernel]
fn cut(a: &[u32], y: &mut [u32], n: u32) {
    let mut part = a;
    part = &a[..(n + 4).min(4) as usize];
    y[0] = part[3];
}

#[test]
fn lengths_that_rest_on_a_launch_prove_nothing_for_others() {
    let device = Device::simulator();
    let a = device.upload(&[1u32; 2]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
    let explained = cut(&a, &mut y, u32::MAX - 1).grid(1).block(1).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 2, "{}", explained.proven());
}
