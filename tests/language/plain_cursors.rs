//! Loops over texts and queues as Rust programmers write them: guards of sums, lengths that functions return, counts and butterflies,
//! right as in plain Rust, and proven.

#![allow(unused_variables, clippy::len_zero, reason = "loops and guards are as kernels have them")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { read(i, x):
    unrolled {
        let n = x.len() as u32;
        let (mut k, mut h) = (0u32, 0u64);
        while k + 4 <= n {
            h = h.rotate_left(3) ^ x[k as usize] ^ x[k as usize + 3];
            k += 4;
        }
        h
    }
    in_pairs {
        let n = x.len() as i32;
        let (mut k, mut h) = (0i32, 0u64);
        while k + 2 <= n {
            h = h.rotate_left(3) ^ x[k as usize] ^ x[(k + 1) as usize];
            k += 2;
        }
        h
    }
    neighbours {
        let n = x.len().min(60);
        let (mut k, mut h) = (0usize, 0u64);
        while k + 1 < n {
            h = h.rotate_left(3) ^ x[k] ^ x[k + 1];
            k += 2;
        }
        h
    }
    by_what_is_read {
        let (mut k, mut h) = (0, 0u64);
        while k + 4 <= 64 {
            let v = x[k + 3];
            h = h.rotate_left(3) ^ v;
            k += if v > 9 { 2 } else { 1 };
        }
        h
    }
    to_marks {
        let mut rest = x;
        let mut h = 0u64;
        while let Some(at) = rest.iter().position(|v| *v < 4) {
            h = h.rotate_left(9) ^ rest[at] ^ at as u64;
            rest = &rest[at + 1..];
        }
        h
    }
    records {
        fn record(x: &[u64]) -> Option<usize> {
            if x.len() >= 2 {
                Some(2)
            } else if x.len() == 1 {
                Some(1)
            } else {
                None
            }
        }
        let mut rest = &x[i..];
        let mut h = 0u64;
        while let Some(n) = record(rest) {
            h = h.rotate_left(5) ^ rest[n - 1];
            rest = &rest[n..];
        }
        h
    }
    records_early {
        fn record(x: &[u64]) -> Option<usize> {
            if x.is_empty() {
                return None;
            }
            if x[0] % 2 == 0 || x.len() < 3 {
                return Some(1);
            }
            Some(3)
        }
        let mut rest = &x[i..];
        let mut h = 0u64;
        while let Some(n) = record(rest) {
            h = h.rotate_left(5) ^ rest[n - 1];
            rest = &rest[n..];
        }
        h
    }
    pieces {
        fn at_most_two(x: &[u64]) -> usize {
            if x.len() >= 2 { 2 } else { x.len() }
        }
        fn at_most_five(x: &[u64]) -> usize {
            x.len().min(5)
        }
        let mut rest = x;
        let mut h = 0u64;
        while !rest.is_empty() {
            rest = &rest[at_most_two(rest)..];
            rest = &rest[at_most_five(rest)..];
            let (piece, more) = rest.split_at(rest.len().min(3));
            h = h.rotate_left(5) ^ piece.len() as u64;
            rest = more;
        }
        h
    }
    first_sixteen {
        let (mut kept, mut n) = ([0u64; 16], 0);
        let mut h = 0u64;
        for v in x {
            if n < 16 {
                kept[n] = *v;
                n += 1;
            }
            h = h.rotate_left(3) ^ kept[n - 1];
        }
        h
    }
    heap {
        let (mut kept, mut n) = ([0u64; 8], 0);
        for v in x {
            if n < 8 {
                kept[n] = *v;
                n += 1;
            }
            let mut k = n - 1;
            while k > 0 && kept[(k - 1) / 2] > kept[k] {
                kept.swap(k, (k - 1) / 2);
                k = (k - 1) / 2;
            }
        }
        kept[0] ^ kept[7]
    }
    in_fours {
        let n = x.len() / 4 * 4;
        let mut h = 0u64;
        for k in (0..n).step_by(4) {
            h = h.rotate_left(3) ^ x[k] ^ x[k + 3];
        }
        h
    }
    lower_bound {
        let (mut low, mut high) = (0, x.len() - 1);
        while low < high {
            let middle = low.midpoint(high);
            if x[middle] < x[i] { low = middle + 1 } else { high = middle }
        }
        x[low]
    }
    ends {
        let (mut a, mut b) = (0, x.len() - 1);
        while a < b {
            if x[a].wrapping_add(x[b]) % 2 == 0 { b -= 1 } else { a += 1 }
        }
        x[a]
    }
    by_logarithms {
        let counts = [1u64; 64];
        let v = x[i] | 1;
        counts[v.ilog2() as usize] + counts[v.trailing_zeros() as usize]
    }
}

#[test]
fn loops_over_texts_and_queues_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn indices_of_loops_over_texts_and_queues_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// A butterfly, whose partner is below the power of two that the block has threads.
#[gpu_kernel]
fn butterfly(x: &[u32], y: &mut [u32], n: u32) {
    let mut part = dynamic_shared::<u32>();
    let t = thread_idx().x;
    if t >= n {
        return;
    }
    part[t] = x[t];
    sync_threads();
    let mut by = n / 2;
    while by > 0 {
        let other = part[t ^ by];
        sync_threads();
        part[t] += other;
        sync_threads();
        by /= 2;
    }
    y[t] = part[t];
}

#[test]
fn partners_below_a_power_of_two_are_proven_at_launch() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 64]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(64).expect("memory");
    let launch = butterfly(&x, &mut y, 64).grid(1).block(64).dynamic_shared(256);
    let explained = launch.explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    butterfly(&x, &mut y, 64).grid(1).block(64).dynamic_shared(256).launch(&device).expect("it is right");
    assert_eq!(device.download(&y).expect("memory"), [64; 64]);
    // 40 is no power of two: 39 ^ 20 is 51.
    let launch = butterfly(&x, &mut y, 40).grid(1).block(40).dynamic_shared(160);
    assert_eq!(launch.explain().expect("it is valid").checked().count(), 1);
}

/// Each case reads behind the end of its slice, where a guard is of less than it reads, or a length is another one.
#[gpu_kernel]
fn beyond(x: &[u32], other: &[u32], y: &mut [u32], n: u32, #[comptime] case: u32) {
    let (mut i, mut part) = (0u32, x);
    y[0] = match case {
        0 => {
            while i + 3 <= n {
                y[1] += x[i + 3];
                i += 3;
            }
            i
        }
        1 => {
            // The sum wraps.
            i = u32::MAX - n;
            if i.wrapping_add(n).wrapping_add(3) <= 5 { x[i] } else { 0 }
        }
        2 => {
            let mut count = 0;
            let mut kept = [0u32; 4];
            for v in x {
                if count <= 4 {
                    kept[count] = *v;
                    count += 1;
                }
            }
            kept[0]
        }
        3 => {
            while let Some(at) = part.iter().position(|v| *v == 1) {
                y[1] += part[at + 1];
                part = &part[at + 1..];
            }
            0
        }
        4 => {
            let k = part.len().min(5);
            part = other;
            part[k - 1]
        }
        5 => {
            let mut high = x.len();
            let mut low = 0;
            while low < high {
                let middle = low.midpoint(high);
                if x[middle] < 2 { low = middle + 1 } else { high = middle }
            }
            x[low]
        }
        6 => {
            let m = x.len() / 2 * 2;
            for k in (0..m).step_by(2) {
                y[1] += x[k + 2];
            }
            0
        }
        7 => x[(n ^ 3) as usize],
        8 => {
            let last = |of: &[u32]| if of.len() >= 4 { 4 } else { of.len() };
            let k = last(part);
            part = &other[..2];
            part[k - 1]
        }
        _ => 0,
    };
}

#[test]
fn what_is_beyond_its_guard_stays_checked() {
    let device = Device::simulator();
    let (x, other) = (device.upload(&[1u32; 6]).expect("memory"), device.upload(&[1u32; 4]).expect("memory"));
    for case in 0..9 {
        let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
        let explained = beyond(&x, &other, &mut y, 6, case).grid(1).block(1).explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let n = if case == 7 { 4 } else { 6 };
        let error = beyond(&x, &other, &mut y, n, case).grid(1).block(1).launch(&device);
        let error = error.expect_err(&format!("case {case} is outside")).to_string();
        assert!(error.contains("is out of bounds for length"), "case {case}: {error}");
    }
}

/// The logarithm of zero is any number on a GPU.
#[gpu_kernel]
fn by_any_logarithm(x: &[u32], y: &mut [u32]) {
    let counts = [1u32; 32];
    y[0] = counts[x[0].ilog2() as usize];
}

#[test]
fn logarithms_of_what_may_be_zero_are_no_proven_indices() {
    let device = Device::simulator();
    let x = device.upload(&[0u32]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
    let explained = by_any_logarithm(&x, &mut y).grid(1).block(1).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 1, "{}", explained.proven());
}

/// Counts in the kernel itself, whose slice is a parameter: `n` is below its length as well as at most 8.
#[gpu_kernel]
fn least_of(x: &[u32], y: &mut [u32]) {
    let (mut kept, mut n) = ([0u32; 8], 0);
    for v in x {
        if n < 8 {
            kept[n] = *v;
            n += 1;
        }
        let mut k = n - 1;
        while k > 0 && kept[(k - 1) / 2] > kept[k] {
            kept.swap(k, (k - 1) / 2);
            k = (k - 1) / 2;
        }
    }
    y[0] = kept[0];
}

#[test]
fn counts_of_what_is_kept_are_proven_in_kernels_too() {
    let device = Device::simulator();
    let x = device.upload(&[9u32, 4, 7, 5]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
    let explained = least_of(&x, &mut y).grid(1).block(1).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    least_of(&x, &mut y).grid(1).block(1).launch(&device).expect("it is right");
    assert_eq!(device.download(&y).expect("memory"), [4]);
}
