//! Slices that are ordered, and bytes that are ASCII text, beside plain Rust.

#![allow(clippy::op_ref, clippy::comparison_chain, clippy::byte_char_slices, reason = "as users write it")]

use core::cmp::Ordering;

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// Letters and spaces that words choose.
#[gpu_fn]
fn letters(a: u64, b: u64) -> [u8; 8] {
    let mut text = [0u8; 8];
    for k in 0..8 {
        text[k] = b" aA\tbB"[((a >> (5 * k)) ^ (b >> k)) as usize % 6];
    }
    text
}

#[gpu_fn]
fn number(order: Ordering) -> u64 {
    match order {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 3,
    }
}

plain! { text(i, x):
    trimmed {
        fn of(x: &[u8]) -> u64 {
            let (both, start, end) = (x.trim_ascii(), x.trim_ascii_start(), x.trim_ascii_end());
            let h = both.iter().fold(0, |h: u64, b| h.rotate_left(7) ^ *b as u64);
            h << 10 ^ (both.len() * 100 + start.len() * 10 + end.len()) as u64
        }
        let own = letters(x[i], x[i + 1]);
        of(&own) ^ of(&own[2..5]) << 1 ^ of(&own[..0]) << 2 ^ of(b" \n") << 3 ^ own.trim_ascii().len() as u64
    }
    of_both_cases {
        fn of(x: &[u8], y: &[u8]) -> u64 {
            let mut h = x.eq_ignore_ascii_case(y) as u64;
            h = 2 * h + x[..2].eq_ignore_ascii_case(&y[1..3]) as u64;
            h = 2 * h + x.trim_ascii().eq_ignore_ascii_case(b"aBA") as u64;
            2 * h + x[0].eq_ignore_ascii_case(&y[0]) as u64
        }
        let own = letters(x[i], x[i + 1]);
        let other = letters(x[i], x[i + 2]);
        of(&own, &other) ^ of(&own[2..5], &own[1..4]) << 8 ^ own.eq_ignore_ascii_case(&other) as u64
    }
    in_order {
        fn of(x: &[u8], y: &[u8]) -> u64 {
            let mut h = (x < y) as u64;
            h = 2 * h + (x <= y) as u64;
            h = 2 * h + (x > y) as u64;
            h = 2 * h + (x >= y) as u64;
            h = 2 * h + (x[1..] < y[..2]) as u64;
            h = 2 * h + (&x[..2] >= &y[..2]) as u64;
            h = 4 * h + number(x.cmp(y));
            h = 4 * h + number(x.cmp(b"ab"));
            4 * h + x.partial_cmp(y).map_or(0, number)
        }
        let own = letters(x[i], x[i + 1]);
        let other = letters(x[i], x[i + 2]);
        let mut h = of(&own, &other);
        for k in 2..6 {
            h = h.rotate_left(3) ^ of(&own[..k], &own[k..]) ^ of(&own[..2], &own[..k]) << 9;
        }
        h
    }
    words_in_order {
        fn of(x: &[u64], y: &[u64]) -> u64 {
            if x < y { 1 } else if x == y { 2 } else { number(x.cmp(y)) }
        }
        of(&x[i..i + 3], &x[i + 1..i + 4]) ^ of(&x[i..i + 3], &x[i..i + 2]) << 2 ^ of(&x[i..i], &x[i..i + 1]) << 4
    }
    floats_in_order {
        fn of(x: &[f64], y: &[f64]) -> u64 {
            let mut h = (x < y) as u64 + 2 * (x >= y) as u64;
            h = 3 * h + x.partial_cmp(y).is_none() as u64;
            7 * h + x.partial_cmp(y).map_or(0, number)
        }
        let a = [f64::from_bits(x[i]), f64::from_bits(x[i + 1]), 0.0];
        let b = [f64::from_bits(x[i]), f64::from_bits(x[i + 2]), -0.0];
        of(&a, &b) ^ of(&a[2..], &b[2..]) << 8 ^ of(&a[1..], &b[1..2]) << 16
    }
    tuples_in_order {
        fn of(x: &[(u64, u8)], y: &[(u64, u8)]) -> u64 {
            (x < y) as u64 + 2 * (x <= y) as u64 + 4 * number(x.cmp(y))
        }
        let pairs = [(x[i] % 3, x[i + 1] as u8), (x[i + 2] % 3, x[i + 3] as u8), (x[i + 4] % 3, 9), (x[i + 5] % 3, 9)];
        of(&pairs[..2], &pairs[2..]) ^ of(&pairs[..1], &pairs[..3]) << 8
    }
    largest_part {
        let mut best = &x[i..i + 2];
        for part in x[i..i + 8].chunks(2) {
            if part > best {
                best = part;
            }
        }
        let least = x[i..i + 8].windows(3).min_by(|a, b| a.cmp(b));
        best[0] ^ best[1].rotate_left(1) ^ least.map_or(0, |part| part[2])
    }
}

#[test]
fn text_and_order_are_those_of_plain_rust() {
    check::<text::cases>();
}
