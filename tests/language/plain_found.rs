//! Indices that are found, chosen, computed by functions, or passed to closures: right as in plain Rust, and proven.

#![allow(
    unused_variables,
    clippy::manual_range_contains,
    reason = "not every case asks which thread it is in, and guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// The place of a cell in a grid of 8 by 8, if it is one.
#[gpu_fn]
fn cell(row: i32, col: i32) -> Option<usize> {
    if row >= 0 && row < 8 && col >= 0 && col < 8 { Some((row * 8 + col) as usize) } else { None }
}

/// A number that is reflected at both ends.
#[gpu_fn]
fn reflected(at: i32, n: i32) -> usize {
    if at < 0 {
        return (-at - 1).min(n - 1) as usize;
    }
    let mut at = at;
    if at >= n {
        at = (2 * n - at - 1).max(0);
    }
    at as usize
}

/// The first number that is no less than a value, in a part in order; the length if there is none.
#[gpu_fn]
fn first_not_below(x: &[u64; 8], value: u64) -> usize {
    let (mut low, mut high) = (0, 8);
    while low < high {
        let middle = (low + high) / 2;
        if x[middle] < value {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// What a function of numbers below eight gives, once for each.
#[gpu_fn]
fn mixed(of: impl Fn(usize, u32) -> u64) -> u64 {
    let mut h = of(7, 3);
    for k in 0..7 {
        h = h.rotate_left(5) ^ of(k, k as u32 + 1);
    }
    h
}

plain! { found(i, x):
    neighbours {
        let left = if i > 0 { Some(i - 1) } else { None };
        let right = if i < 63 { Some(i + 1) } else { None };
        let mut h = x[i];
        if let Some(k) = left {
            h ^= x[k] << 1;
        }
        if let Some(k) = right {
            h ^= x[k] << 2;
        }
        h
    }
    cells {
        let (row, col) = (i as i32 / 8, i as i32 % 8);
        let mut h = 0;
        if let Some(k) = cell(row - 1, col) {
            h ^= x[k];
        }
        if let Some(k) = cell(row, col + 1) {
            h ^= x[k] << 3;
        }
        h
    }
    greatest {
        let best = (0..8).max_by_key(|&k| x[k + 3] % 7).unwrap_or(0);
        x[best] ^ best as u64
    }
    last_of_a_loop {
        let mut found = None;
        for k in 0..9 {
            if x[k] % 3 == 0 {
                found = Some(k + 1);
            }
        }
        match found {
            Some(k) => x[k] ^ k as u64,
            None => 5,
        }
    }
    first_of_a_slice {
        let part = &x[i..i + 8];
        match part.iter().position(|&v| v % 5 == 1) {
            Some(k) => part[k] ^ part[7 - k],
            None => 6,
        }
    }
    a_second_chance {
        let mut at = None;
        let mut k = 0;
        while k < 8 && at.is_none() {
            if x[k] % 4 == 3 {
                at = Some(k);
            }
            k += 2;
        }
        if at.is_none() {
            at = Some(7);
        }
        at.map_or(0, |k| x[k]) ^ at.unwrap_or(1) as u64
    }
    reflections {
        x[reflected(i as i32 % 11 - 4, 7)] ^ x[reflected(i as i32 % 3 + 5, 6)]
    }
    searches {
        let table = [1, 3, 9, 70, 300, 5000, 1 << 20, 1 << 40];
        let k = first_not_below(&table, x[i]);
        if k < 8 { table[k] } else { x[k] }
    }
    arrays_of_elements {
        let four: [u64; 4] = std::array::from_fn(|k| x[i + 2 * k]);
        let nine: [[u64; 3]; 3] = std::array::from_fn(|r| std::array::from_fn(|c| x[r * 3 + c]));
        let three = [0usize, 5, 2].map(|k| x[i + k]);
        four[0] ^ four[3] ^ nine[2][1] ^ nine[0][2] ^ three[1] ^ three[2]
    }
    functions_of_closures {
        mixed(|k, n| x[i + k].rotate_left(n) ^ x[n as usize])
    }
    cut_off_parts {
        let first = i * 5;
        if first >= 64 {
            return 1;
        }
        let last = (first + 5).min(64);
        let chosen = if first + 3 > 60 { 64 } else { first + 3 };
        let part = &x[first..last];
        part.iter().fold(0u64, |h, v| h.rotate_left(7) ^ v) ^ x[first..chosen].len() as u64
    }
    windows_of_sums {
        if i == 0 || i > 60 {
            return 2;
        }
        let part = &x[i - 1..=i + 1];
        part[0] ^ part[1] << 1 ^ part[2] << 2
    }
    around_the_ends {
        let k = i as i32;
        x[(k - 3).rem_euclid(64) as usize] ^ x[(k + 9).rem_euclid(60) as usize]
    }
}

#[test]
fn indices_that_are_found_are_those_of_plain_rust() {
    check::<found::cases>();
}

#[test]
fn indices_that_are_found_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * found::cases::NAMES.len()).expect("memory");
    let explained = found::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// What a closure does with a variable that it changes is not known where it begins.
#[gpu_kernel]
fn changed_in_a_closure(x: &[u32], y: &mut [u32]) {
    let mut at = 0;
    let parts: [u32; 4] = std::array::from_fn(|k| {
        at += 3;
        x[at + k]
    });
    y[0] = parts[3];
    let held = [Some(2), None, Some(9)];
    let mut best = None;
    for k in 0..3 {
        if let Some(v) = &mut best {
            *v += 4;
        }
        if let Some(first) = held[k] {
            best = Some(first);
        }
    }
    y[1] = x[best.unwrap_or(0)];
}

#[test]
fn what_changes_elsewhere_stays_checked() {
    let device = Device::simulator();
    let long = device.alloc_zeroed::<u32>(16).expect("memory");
    let short = device.alloc_zeroed::<u32>(9).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
    changed_in_a_closure(&long, &mut y).grid(1).block(1).launch(&device).expect("no fault");
    let error =
        changed_in_a_closure(&short, &mut y).grid(1).block(1).launch(&device).expect_err("12 + 3 is outside");
    assert!(error.to_string().contains("length 9"), "{error}");
}
