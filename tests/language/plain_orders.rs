//! Parts of slices between two marks, windows and merges, as Rust programmers write them: right as in plain Rust, and proven.

#![allow(
    unused_variables,
    unused_assignments,
    clippy::len_zero,
    reason = "loops and guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { read(i, x):
    words {
        let (mut start, mut h) = (0, 0u64);
        for i in 0..x.len() {
            if x[i] % 4 == 0 {
                let word = &x[start..i];
                h = h.rotate_left(5) ^ word.len() as u64 ^ word.first().copied().unwrap_or(7);
                start = i + 1;
            }
        }
        h ^ x[start..].len() as u64
    }
    words_in_two_ways {
        let (mut start, mut h, mut i) = (0, 0u64, 0);
        while i < x.len() {
            if x[i] % 4 == 0 {
                h = h.rotate_left(5) ^ x[start..i].iter().fold(0, |a, b| a ^ b);
                start = if x[i] == 0 { i } else { i + 1 };
            }
            i += 1;
        }
        h ^ start as u64
    }
    runs {
        let (mut i, mut h) = (0, 0u64);
        while i < x.len() {
            let mut j = i + 1;
            while j < x.len() && x[j] % 2 == x[i] % 2 {
                j += 1;
            }
            let run = &x[i..j];
            h = h.rotate_left(7) ^ run[0] ^ run.len() as u64;
            i = j;
        }
        h
    }
    window {
        let h = &mut 0u64;
        for i in 0..x.len() {
            let (low, high) = (i.saturating_sub(2), (i + 3).min(x.len()));
            *h = h.rotate_left(3) ^ x[low..high].iter().fold(0, |a, b| a ^ b);
        }
        *h
    }
    narrower {
        let (mut low, mut high) = (0, x.len());
        let mut h = 0u64;
        while low < high {
            h = h.rotate_left(3) ^ x[low..high].len() as u64 ^ x[low];
            if x[low] % 2 == 0 { low += 1 } else { high -= 1 }
        }
        h
    }
    merged {
        let (a, b) = x.split_at(x.len() / 3);
        let (mut i, mut j, mut h) = (0, 0, 0u64);
        while i < a.len() || j < b.len() {
            if j >= b.len() || (i < a.len() && a[i] <= b[j]) {
                h = h.rotate_left(9) ^ a[i];
                i += 1;
            } else {
                h = h.rotate_left(9) ^ b[j];
                j += 1;
            }
        }
        h
    }
    merged_by_branches {
        let (a, b) = x.split_at(x.len() / 3);
        let (mut i, mut j, mut h) = (0, 0, 0u64);
        loop {
            if i == a.len() && j == b.len() {
                break;
            }
            let from_a = if i < a.len() && j < b.len() { a[i] < b[j] } else { i < a.len() };
            h = h.rotate_left(9) ^ from_a as u64;
            if from_a { i += 1 } else { j += 1 }
        }
        h
    }
}

#[test]
fn parts_between_marks_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn parts_between_marks_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// Cases whose order is lost: each is outside for `x` of six ones and `other` of four.
#[gpu_kernel]
fn disordered(x: &[u32], other: &[u32], y: &mut [u32], #[comptime] case: u32) {
    let n = x.len();
    let (mut start, mut end) = (0, n);
    let (mut i, mut j) = (0, 0);
    y[0] = match case {
        0 => {
            // The next mark may be before the start.
            for i in 0..n {
                y[1] += x[start..i].len() as u32;
                start = i + 2;
            }
            0
        }
        1 => {
            while i < n {
                j = i;
                while j < n && x[j] == 2 {
                    j += 1;
                }
                i = j + 1;
                y[1] += x[i..j].len() as u32;
            }
            0
        }
        2 => {
            while i < n || j < other.len() {
                if j >= other.len() || (i < n && x[i] <= other[j]) {
                    i += 1;
                    y[1] += x[i];
                } else {
                    j += 1;
                }
            }
            0
        }
        3 => {
            i = n;
            while i < n || j < other.len() {
                j += 1;
                if j >= other.len() {
                    y[1] += x[i];
                    i += 1;
                }
            }
            0
        }
        4 => {
            for i in 0..n {
                let place = &mut start;
                *place = i + 3;
                y[1] += x[start..i].len() as u32;
            }
            0
        }
        5 => {
            for i in 0..n {
                y[1] += x[start..i].len() as u32;
                let mut later = |by: usize| start += by;
                later(2);
            }
            0
        }
        6 => {
            for i in 0..n {
                if x[i] == 1 {
                    start = i + 2;
                    continue;
                }
                start = i;
            }
            end = n - 1;
            x[start..end].len() as u32
        }
        7 => {
            end = 3;
            loop {
                if x[start] == 1 {
                    start += 4;
                    break;
                }
                end += 1;
                if end == n {
                    break;
                }
            }
            x[start..end].len() as u32
        }
        8 => {
            for i in 0..n {
                start = i.wrapping_sub(1);
                y[1] += x[start..i].len() as u32;
            }
            0
        }
        9 => {
            (start, end) = (2, n);
            while end > 0 {
                y[1] += x[start..end].len() as u32;
                end -= 1;
            }
            0
        }
        10 => {
            let i = n + 3;
            x[i.saturating_sub(1)..(i + 1).min(n)].len() as u32
        }
        11 => {
            (start, end) = (4, x[0] as usize);
            x[start.min(5)..end].len() as u32
        }
        12 => {
            for i in 0..n {
                y[1] += x[start..i].len() as u32;
                if x[i] == 1 { start = i + 2 } else { start = i + 1 }
            }
            0
        }
        13 => {
            for i in 0..n {
                y[1] += x[start..i].len() as u32;
                for k in 0..2 {
                    start = i + k + 1;
                }
            }
            0
        }
        14 => {
            while i < n || j < other.len() {
                if j < other.len() || x[i] == 1 {
                    y[1] += x[i];
                    i += 1;
                }
                j += 1;
            }
            while i <= n || j < other.len() {
                if j >= other.len() {
                    y[1] += x[i];
                }
                i += 1;
            }
            0
        }
        15 => {
            // Neither is less for sure.
            (i, j) = (5, 4);
            if i < n || j < n {
                if x[0] == 1 { i = n } else { j = n }
            }
            if i < n || j < n { x[i] } else { 0 }
        }
        16 => {
            (start, end) = (0, 1);
            while end < n {
                let kept = start;
                start = end;
                end = kept + 1;
                if start > end {
                    break;
                }
                end = start;
                start += 1;
                y[1] += x[start..end].len() as u32;
            }
            0
        }
        17 => {
            let mut part = x;
            for i in 0..part.len() {
                y[1] += part[start..i].len() as u32;
                start = i + 1;
                part = &part[..1];
            }
            0
        }
        18 => {
            // A sum that wraps is less than what is added to.
            let (mut low, high) = (u32::MAX - 2, u32::MAX);
            while low < high && y[1] < 3 {
                low = low.wrapping_add(2);
                y[1] += 1;
            }
            x[(low as usize).min(6)..(high as usize).min(1)].len() as u32
        }
        19 => {
            // Each iteration has another end.
            while i < n {
                let mut end = n.min(1);
                y[1] += x[i..end].len() as u32;
                end = n;
                i += 1;
                y[1] += (end - i) as u32;
            }
            0
        }
        20 => {
            for mut i in 0..n {
                y[1] += x[start..i].len() as u32;
                i += 2;
                start = i;
            }
            0
        }
        21 => {
            for i in (0..n).rev() {
                y[1] += x[start..i].len() as u32;
                start = i + 1;
            }
            0
        }
        22 => {
            'texts: while i < n {
                y[1] += x[start..i].len() as u32;
                for k in 0..2 {
                    if k == 1 {
                        start = i + 2;
                        i += 1;
                        continue 'texts;
                    }
                }
            }
            0
        }
        23 => {
            // The product wraps: the end is zero.
            let rows = x[0] << 16;
            let row = rows - 1;
            if (row + 1) * rows <= n as u32 {
                x[(row * rows) as usize..((row + 1) * rows) as usize].len() as u32
            } else {
                0
            }
        }
        24 => {
            let by = usize::MAX / x[0] as usize;
            let row = by - 5;
            if (row + 1) * by <= n { x[row * by..(row + 1) * by].len() as u32 } else { 0 }
        }
        25 => {
            let by = usize::MAX / x[0] as usize;
            let row = by - 5;
            x[row * by..((row + 1) * by).min(n)].len() as u32
        }
        _ => 0,
    };
}

#[test]
fn parts_out_of_order_stay_checked() {
    let device = Device::simulator();
    let (x, other) = (device.upload(&[1u32; 6]).expect("memory"), device.upload(&[1u32; 4]).expect("memory"));
    for case in 0..26 {
        let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
        let explained = disordered(&x, &other, &mut y, case).grid(1).block(1).explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let error = disordered(&x, &other, &mut y, case).grid(1).block(1).launch(&device);
        let error = error.expect_err(&format!("case {case} is outside")).to_string();
        let said = ["is out of bounds for length", "starts at", "range", "overflow"];
        assert!(said.iter().any(|words| error.contains(words)), "case {case}: {error}");
    }
}
