//! Patterns of slices whose elements are taken apart themselves, beside plain Rust.

#![allow(
    clippy::redundant_pattern_matching,
    reason = "`None` in a pattern of a slice becomes a test of the element"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Point {
    x: u64,
    y: u32,
}

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
enum Step {
    Stay,
    Go(u64),
    Turn { left: bool, by: u8 },
}

#[gpu_fn]
fn step(v: u64) -> Step {
    match v % 3 {
        0 => Step::Stay,
        1 => Step::Go(v / 3),
        _ => Step::Turn { left: v % 2 == 0, by: v as u8 },
    }
}

#[gpu_fn]
fn some(v: u64) -> Option<u64> {
    if v % 2 == 0 { None } else { Some(v) }
}

plain! { nested(i, x):
    options {
        fn of(all: &[Option<u64>]) -> u64 {
            match all {
                [] => 1,
                [Some(a), b, ..] if *a > 50 => *a ^ b.unwrap_or(5),
                [None, Some(b), rest @ ..] => b ^ rest.len() as u64,
                [.., Some(last @ 0..=99)] => *last,
                [Some(1 | 3) | None, ..] => 7,
                [_, Some(a), .., Some(b)] => a.wrapping_mul(31) ^ b,
                _ => 8,
            }
        }
        let all = [some(x[i]), some(x[i + 1]), some(x[i + 2]), some(x[i + 3])];
        of(&all) ^ of(&all[..2]) << 1 ^ of(&all[1..]) << 2 ^ of(&all[..1]) << 3 ^ of(&all[..0]) << 4
    }
    tuples {
        fn of(pairs: &[(u64, u8)]) -> u64 {
            let mut h = 0u64;
            if let [(a, b), (c, 0..=100), ..] = pairs {
                h ^= a ^ c << 1 ^ (*b as u64) << 2;
            }
            if let &[(k, n), ref rest @ ..] = pairs && k > 3 && let [(_, m), ..] = rest {
                h ^= k.rotate_left(n as u32) ^ *m as u64;
            }
            let [(first, _), .., (0 | 1, last)] = pairs else { return h };
            h ^ first << 3 ^ (*last as u64) << 7
        }
        let pairs = [(x[i], x[i + 1] as u8), (x[i + 2] % 3, x[i + 3] as u8), (x[i + 4] % 4, 9)];
        of(&pairs) ^ of(&pairs[..2]) << 1 ^ of(&pairs[1..2]) << 2 ^ of(&pairs[..0]) << 3
    }
    structs_and_enums {
        fn of(points: &[Point], steps: &[Step]) -> u64 {
            let a = match points {
                [Point { x: 0, y }, ..] => *y as u64,
                [Point { x, .. }, Point { y: 1..=9, .. }] => *x,
                [.., Point { y, .. }, _] => *y as u64 + 1,
                _ => 3,
            };
            let b = match steps {
                &[Step::Go(n), Step::Stay, ..] => n,
                &[Step::Turn { left, by }, .., Step::Go(mut n)] if by > 3 => {
                    n ^= left as u64;
                    n << 1
                }
                &[Step::Turn { left: true, .. } | Step::Stay, ..] => 5,
                [_, Step::Go(n)] | [Step::Go(n), _] => *n,
                _ => 6,
            };
            a ^ b << 4
        }
        let points = [Point { x: x[i] % 2, y: x[i + 1] as u32 }, Point { x: x[i + 2], y: x[i + 3] as u32 % 12 }];
        let steps = [step(x[i]), step(x[i + 1]), step(x[i + 2])];
        of(&points, &steps) ^ of(&points[1..], &steps[..2]) << 1 ^ of(&points[..0], &steps[1..]) << 2
    }
    arrays_and_references {
        fn of(rows: &[[u64; 3]]) -> u64 {
            let a = if let [[a, .., 1..=9], [_, b, _], ..] = rows { a ^ b } else { 4 };
            let b = if let [[a, b, c], ..] = rows { a ^ b << 1 ^ c << 2 } else { 5 };
            let [.., [0, c, ..] | [1..=u64::MAX, _, c]] = rows else { return a ^ b };
            a ^ b ^ c
        }
        let rows = [[x[i], x[i + 1], x[i + 2] % 12], [x[i + 3], 2, x[i + 4]]];
        of(&rows) ^ of(&rows[1..]) << 1 ^ of(&rows[..0]) << 2
    }
    asked_in_conditions {
        let all = [some(x[i]), some(x[i + 1]), some(x[i + 2])];
        let s = &all[..];
        let a = matches!(s, [Some(a), .., Some(b)] if a > b) as u64;
        let b = matches!(s, [_, Some(2..) | None, ..]) as u64;
        let c = matches!(&all[1..], [Some(v), _] if *v > 9) as u64;
        let mut rest = &all[..];
        let mut h = 0u64;
        while let [Some(v), tail @ ..] = rest {
            h = h.wrapping_mul(31) ^ v;
            rest = tail;
        }
        let c = c ^ match x[i..i + 2] { [a, 0..=5] => a, [1 | 2, b] | [b, 9] => b << 1, _ => 3 } << 5;
        let [Some(mut v), ..] = all[..2] else { return a ^ b << 1 ^ h << 3 };
        v ^= 1;
        a ^ b << 1 ^ c << 2 ^ h << 3 ^ v
    }
    cursors {
        let pairs = [(x[i] as u32, 3u8), (x[i + 1] as u32, 4), (7, x[i + 2] as u8)];
        let mut h = 0u64;
        for w in pairs.windows(2) {
            if let [(a, _), (b, n)] = w {
                h = h.wrapping_mul(31) ^ (*a ^ *b) as u64 ^ *n as u64;
            }
        }
        for c in pairs.chunks(2) {
            h ^= match c {
                [(a, _), (_, n)] => *a as u64 ^ *n as u64,
                [(7, n)] => *n as u64,
                _ => unreachable!(),
            };
        }
        h
    }
}

#[test]
fn nested_patterns_are_rusts() {
    check::<nested::cases>();
}
