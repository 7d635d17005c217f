//! Iterators over parts of slices in variables, and patterns of the parts that an `Option` holds, beside plain Rust.

#![allow(
    clippy::useless_conversion,
    clippy::while_let_on_iterator,
    clippy::manual_flatten,
    clippy::iter_nth_zero,
    clippy::get_first,
    reason = "as users write it"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { taken(i, x):
    parts_in_variables {
        let part = &x[i..i + 7];
        let whole = part.chunks(2);
        let mut exact = part.chunks_exact(3);
        let mut h = whole.len() as u64;
        for p in whole {
            h = h.rotate_left(5) ^ p[0] ^ p.len() as u64;
        }
        h ^= exact.next().map_or(1, |p| p[2]);
        for p in exact {
            h = h.wrapping_mul(3) ^ p[1];
        }
        h
    }
    windows_step_by_step {
        let mut pairs = x[i..i + 6].windows(2);
        let mut h = 0u64;
        while let Some(p) = pairs.next() {
            if p[0] > p[1] {
                pairs.next();
            }
            h = h.rotate_left(7) ^ p[0].wrapping_sub(p[1]);
        }
        h
    }
    parts_of_parts {
        let (low, high) = x[i..i + 8].split_at(5);
        let mut a = low.windows(3);
        let c = high.chunks(2);
        let mut h = 0u64;
        while let Some(w) = a.next() {
            h = h.rotate_left(3) ^ w[0] ^ w[2];
        }
        for p in c {
            let mut one = p.chunks_exact(1);
            while let Some([v]) = one.next() {
                h = h.wrapping_mul(5) ^ v;
            }
        }
        h
    }
    written_parts {
        let mut own = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]];
        fn turn(of: &mut [u64]) {
            let mut pairs = of.chunks_exact_mut(2);
            while let Some(p) = pairs.next() {
                p.swap(0, 1);
            }
        }
        turn(&mut own[..]);
        own.iter().fold(0, |h: u64, v| h.rotate_left(9) ^ v)
    }
    let_else {
        fn of(x: &[u64], i: usize) -> u64 {
            let Some([a, b]) = x.chunks_exact(2).nth(i % 5) else { return 7 };
            let Some(&[c, d]) = x.windows(2).last() else { return 8 };
            let Some(pair) = x.chunks(2).nth(i % 3) else { return 9 };
            let [e, f] = pair else { return pair[0] };
            a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5
        }
        of(&x[i..i + 8], i) ^ of(&x[i..i + 1], i) << 1 ^ of(&x[i..i + 3], i) << 2 ^ of(&x[i..i], i) << 3
    }
    parts_by_ranges {
        let part = &x[i..i + 6];
        let (from, to) = ((x[i] % 8) as usize, (x[i + 1] % 8) as usize);
        let mut h = 0u64;
        if let Some([first, .., last]) = part.get(from..to) {
            h = first ^ last.rotate_left(3);
        }
        if let Some(&[a, b]) = part.get(from..from + 2)
            && a > b
            && let Some([c, rest @ ..]) = part.get(to..)
        {
            h ^= c ^ rest.len() as u64;
        }
        h ^ matches!(part.get(from..), Some([_, _] | [])) as u64 ^ (matches!(part.get(..to), Some([a, ..]) if *a > 9) as u64 * 2)
    }
    unwrapped {
        fn of(x: &[u64]) -> Option<u64> {
            let pair = x.get(1..3)?;
            let [a, b] = pair else { return Some(0) };
            let last = x.chunks(2).last().unwrap();
            Some(match last {
                [c] => a ^ b ^ c,
                [c, d] => a ^ b ^ c.rotate_left(1) ^ d,
                _ => 4,
            })
        }
        of(&x[i..i + 4]).unwrap_or(1) ^ of(&x[i..i + 5]).unwrap_or(2) ^ of(&x[i..i + 2]).unwrap_or(3)
    }
    matched {
        fn of(x: &[u64], i: usize) -> u64 {
            let first = match x.chunks(3).nth(i % 4) {
                Some([a, b, c]) if a > b => a ^ c,
                Some([_, b, _]) => *b,
                None => 5,
                Some(&[a]) => a ^ 1,
                Some(rest) => rest.len() as u64,
            };
            let second = match x.get(i % 3..i % 5) {
                Some([] | [_]) => 2,
                Some([a, .., b]) if a != b => a ^ b,
                _ => 3,
            };
            first ^ second.rotate_left(11)
        }
        of(&x[i..i + 8], i) ^ of(&x[i..i + 4], i) << 1 ^ of(&x[i..i + 2], i) << 2
    }
    zipped {
        let mut h = 0u64;
        for (a, b) in std::iter::zip(&x[i..i + 5], &x[i + 1..i + 4]) {
            h = h.rotate_left(3) ^ a.wrapping_sub(*b);
        }
        h ^ core::iter::zip([1, 2, 3], x[i..].iter().copied()).map(|(a, b)| b.wrapping_mul(a)).fold(0, |a: u64, b| a ^ b)
    }
}

#[test]
fn parts_are_taken_as_in_plain_rust() {
    check::<taken::cases>();
}
