//! Stacks that a loop pushes on at most once in each iteration, and texts whose elements are compared before they are passed: right as in
//! plain Rust, and proven.

#![allow(unused_variables, clippy::needless_bool_assign, reason = "loops are as kernels have them")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { read(i, x):
    rising {
        let (mut stack, mut n) = ([0u64; 16], 0);
        for v in &x[..16] {
            while n > 0 && stack[n - 1] > *v {
                n -= 1;
            }
            stack[n] = *v;
            n += 1;
        }
        stack[..n].iter().fold(n as u64, |h, v| h.rotate_left(5) ^ v)
    }
    pushed_or_popped {
        let (mut stack, mut n) = ([0u64; 16], 0);
        for k in 0..16 {
            if x[k] % 3 > 0 {
                stack[n] = x[k];
                n += 1;
            } else if n > 0 {
                n -= 1;
            }
        }
        n as u64 ^ stack[0]
    }
    brackets {
        let (mut stack, mut n) = ([0u8; 20], 0usize);
        let mut h = 0u64;
        for &v in x.iter().take(20) {
            match v % 4 {
                0 => {
                    stack[n] = v as u8;
                    n += 1;
                }
                1 => {
                    if n == 0 {
                        h += 1;
                        continue;
                    }
                    n -= 1;
                    h = h.rotate_left(5) ^ stack[n] as u64;
                }
                2 => n = n.saturating_sub(2),
                _ => {}
            }
        }
        h
    }
    in_a_while_loop {
        let (mut stack, mut n, mut k) = ([0u64; 12], 0usize, 0usize);
        while k < 12 {
            while n > 0 && stack[n - 1] % 7 > x[k] % 7 {
                n -= 1;
            }
            stack[n] = x[k];
            n += 1;
            k += 1;
        }
        n as u64 ^ stack[0]
    }
    twice_as_many {
        let (mut stack, mut n) = ([0u64; 16], 0usize);
        for k in 0..8 {
            for j in 0..2 {
                if x[2 * k + j] % 2 == 0 {
                    stack[n] = x[k];
                    n += 1;
                }
            }
            if n > 3 {
                n -= 3;
            }
        }
        n as u64 ^ stack[0]
    }
    passed_elements {
        let mut text = &x[i..];
        let mut h = 0u64;
        while let [0..=9 | 63, rest @ ..] = text {
            text = rest;
            h += 1;
        }
        while let [rest @ .., 0 | 255] = text {
            text = rest;
            h += 100;
        }
        while let [0, 1, rest @ ..] = text {
            text = rest;
            h += 10000;
        }
        h ^ (text.len() as u64) << 32
    }
    flags {
        let n = (x[i] % 80) as usize;
        let is_it = if n < x.len() { x[n] % 2 == 0 } else { false };
        let is_out = if n >= 30 { x[i + 1] % 3 == 0 } else { true };
        let mut h = is_it as u64;
        if is_it {
            h ^= x[n] << 1;
        }
        if !is_out {
            h ^= x[n - 30];
        }
        h
    }
}

#[test]
fn stacks_and_texts_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn stacks_and_texts_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// Stacks that overflow, and flags that tell of something else by now: each must be a fault.
#[gpu_kernel]
fn overflowing(x: &[u32], y: &mut [u32], first: i32, #[comptime] case: u32) {
    let (mut stack, mut n) = ([0u32; 8], 0usize);
    let (mut at, mut text) = (first as usize, x);
    match case {
        // One more than there is room for.
        0 => {
            for v in x.iter().take(9) {
                while n > 0 && stack[n - 1] > *v {
                    n -= 1;
                }
                stack[n] = *v;
                n += 1;
            }
        }
        // Two in an iteration.
        1 => {
            for v in x.iter().take(8) {
                if *v > 90 && n > 0 {
                    n -= 1;
                }
                stack[n] = *v;
                n += 1;
                stack[n] = *v;
                n += 1;
            }
        }
        // It is not empty before.
        2 => {
            n = first as usize;
            for v in x.iter().take(8) {
                if *v > 90 && n > 0 {
                    n -= 1;
                }
                stack[n] = *v;
                n += 1;
            }
        }
        // What is lowered below zero is the greatest number.
        3 => {
            for v in x.iter().take(8) {
                if *v > 0 {
                    n = n.wrapping_sub(1);
                    n -= 1;
                }
                stack[n] = *v;
            }
        }
        4 => {
            for v in x.iter().take(8) {
                if n == 0 && *v > 90 {
                    break;
                }
                n -= 1;
                stack[n] = *v;
                n += 1;
            }
        }
        // The guard is of another number by then.
        5 => {
            for v in x.iter().take(8) {
                if n > 0 {
                    n = *v as usize + 5;
                    n -= 1;
                }
                stack[n] = *v;
                n += 1;
            }
        }
        6 => {
            let mut push = || n += 1;
            for k in 0..8 {
                push();
                push();
                if k > 20 {
                    push();
                }
            }
            stack[n] = 1;
        }
        7 => {
            let is_inside = if at < x.len() { x[at] < 90 } else { false };
            at += 10;
            if is_inside {
                y[0] = x[at];
            }
        }
        8 => {
            let mut is_inside = if at < 1 { x[at] > 90 } else { false };
            is_inside |= x.len() > 3;
            if is_inside {
                y[0] = x[at + 9];
            }
        }
        9 => {
            let is_outside = if at < x.len() { x[at] < 90 } else { false };
            if !is_outside {
                return;
            }
            y[0] = x[at + 9];
        }
        10 => {
            while let [0..=90, rest @ ..] = text {
                text = rest;
                y[0] = text[0];
            }
        }
        11 => {
            let has_both = if text.len() >= 2 { text[1] < 90 } else { false };
            text = &text[9..];
            if has_both {
                y[0] = text[1];
            }
        }
        12 => {
            let is_inside;
            if at < x.len() {
                is_inside = true;
            } else {
                is_inside = false;
            }
            let other = if at > 7 { x[0] > 90 } else { true };
            if other && is_inside {
                y[0] = x[at + 10];
            }
        }
        // After the last iteration, all of them have pushed.
        13 => {
            let mut i = 0usize;
            while i < 8 {
                n += 1;
                i += 1;
            }
            y[0] = stack[n];
        }
        14 => {
            let mut i = 0usize;
            while stack[n] < 1 && i < 8 {
                if x[i] > 0 {
                    n += 1;
                }
                i += 1;
            }
        }
        15 => {
            let mut i = 0usize;
            while i < x.len() {
                if x[i] > 90 && n > 0 {
                    n -= 1;
                }
                n += 1;
                i += 1;
            }
            y[0] = x[n];
        }
        _ => {}
    }
    y[0] ^= stack[0];
}

#[test]
fn stacks_that_overflow_and_flags_of_something_else_prove_nothing() {
    let device = Device::simulator();
    let x = device.upload(&(1..11u32).collect::<Vec<_>>()).expect("memory");
    for case in 0..16 {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let first = if case == 2 { 1 } else { 0 };
        let first = if matches!(case, 8 | 9) { 1 } else { first };
        let launch = overflowing(&x, &mut y, first, case).grid(1).block(1);
        let explained = launch.explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let error = launch.launch(&device).expect_err(&format!("case {case}")).to_string();
        assert!(error.contains("out of bounds") || error.contains("overflow"), "case {case}: {error}");
    }
}
