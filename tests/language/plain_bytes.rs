//! Bytes and other short slices that are compared, matched and taken apart.

#![allow(clippy::op_ref, clippy::byte_char_slices, reason = "as users write it")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// Letters that words choose.
#[gpu_fn]
fn letters(a: u64, b: u64) -> [u8; 8] {
    let mut text = [0u8; 8];
    for k in 0..8 {
        text[k] = b"ab1"[((a >> (5 * k)) ^ (b >> k)) as usize % 3];
    }
    text
}

plain! { bytes(i, x):
    texts_in_variables {
        let own = letters(x[i], x[i + 1]);
        let (own, text, long) = (&own[..], b"ab", b"aba");
        let other = [b'b', b'1'];
        let referred = &other;
        let mut h = (&own[..2] == text) as usize;
        h = 2 * h + (&own[1..3] != text) as usize;
        h = 2 * h + (own[..3] == *long) as usize;
        h = 2 * h + (text == &own[3..5]) as usize;
        h = 2 * h + (&own[2..4] == referred) as usize;
        h = 2 * h + (own[2..4] == other) as usize;
        h = 2 * h + (&own[2..4] == &other) as usize;
        h = 2 * h + own.windows(2).filter(|w| w.len() == 2 && **w == *text).count();
        h = 7 * h + own.windows(text.len()).filter(|w| *w == text).count();
        h = 7 * h + own.windows(2).filter(|&w| w == text).count();
        h = 7 * h + own.chunks(2).filter(|w| *w != referred).count();
        h = 7 * h + own.windows(2).position(|w| w == text).unwrap_or(9);
        for w in own.chunks(3) {
            if w == long || w == text {
                h += 1000;
            }
        }
        h as u64
    }
    arrays_beside_parts {
        let own = letters(x[i], x[i + 1]);
        let own = &own[..];
        let mut h = own.windows(2).filter(|w| *w == [b'a', b'b']).count();
        h = 7 * h + own.chunks(2).filter(|w| w == &[b'a', b'1']).count();
        h = 7 * h + own.chunks(2).filter(|w| *w != [97, 49]).count();
        h = 7 * h + x[i..i + 8].windows(2).filter(|w| *w == [0, 1]).count();
        h = 7 * h + own.windows(2).map(|w| w == [97, 98] || [97, 97] == w).filter(|same| *same).count();
        for w in own.chunks(2) {
            if w == [b'b', b'b'] {
                h += 500;
            }
        }
        h as u64
    }
}

plain! { patterns(i, x):
    written {
        let mut v = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6]];
        let all = &mut v[..];
        for pair in all.chunks_exact_mut(2) {
            let [a, b] = pair else { continue };
            std::mem::swap(a, b);
            *a ^= 5;
        }
        for part in all.chunks_mut(3) {
            match part {
                [a, 0 | 2, c] => *a = *c + 1,
                [a, b, c] => {
                    std::mem::swap(a, c);
                    *b = b.wrapping_add(*a);
                }
                [only] => *only /= 3,
                _ => {}
            }
        }
        for part in all.chunks_mut(5) {
            if let [first, .., last] = part {
                *first = first.wrapping_sub(*last);
                *last ^= *first;
            }
        }
        if let [first, middle @ .., last] = &mut all[1..6] {
            middle[0] = *first;
            middle[middle.len() - 1] ^= *last;
            std::mem::swap(first, last);
        }
        let mut h = 0u64;
        if let &mut [a, _, b, ..] = all {
            h = a ^ (b / 3);
        }
        let mut rest = all;
        while let [head, tail @ ..] = rest {
            *head = head.wrapping_mul(3);
            if let [next, ..] = tail {
                *next ^= *head;
            }
            rest = tail;
        }
        v.iter().fold(h, |h, v| h.wrapping_mul(31) ^ v)
    }
    split {
        let mut v = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]];
        let (low, high) = v.split_at_mut(x[i] as usize % 5);
        let mut h = match low {
            [] => 1,
            [a] => {
                *a += *a % 2;
                *a
            }
            [a, rest @ .., b] if *a > 9 => {
                *a ^= *b;
                rest.fill(7);
                rest.len() as u64
            }
            [.., b] => {
                *b = 3;
                2
            }
        };
        if let [a, b, ..] = high && *a < *b {
            std::mem::swap(a, b);
            h += 10;
        }
        v.iter().fold(h, |h, v| h.wrapping_mul(31) ^ v)
    }
    texts {
        let own = letters(x[i], x[i + 1]);
        let own = &own[..];
        let mut h = match &own[..3] {
            b"ab1" => 1u64,
            b"aaa" | b"bbb" => 2,
            [b'a', ..] => 3,
            b"1b1" => 4,
            _ => 5,
        };
        for w in own.windows(2) {
            h = 3 * h + match w {
                b"ab" => 1,
                b"1a" => 2,
                _ => 0,
            };
            if let b"bb" = w {
                h += 100;
            }
            h += matches!(w, b"a1" | b"11") as u64;
        }
        h = 2 * h + matches!(&own[4..6], b"ab" | [b'1', _]) as u64;
        h = 2 * h + own.chunks(2).filter(|&w| matches!(w, b"ab" | b"1b")).count() as u64;
        let pair = [own[0], own[1]];
        h = 2 * h + matches!(&pair, b"ab" | b"ba") as u64;
        let text = b"ab";
        match text {
            b"ab" => h + 1,
            _ => h,
        }
    }
    parts_without_names {
        let k = x[i] as usize % 3;
        let &[a, b, c] = &x[i + k..i + k + 3] else { return 1 };
        let [d, .., e] = &x[i..i + 2 + k] else { return 2 };
        let mut h = a ^ b.rotate_left(7) ^ c.rotate_left(9) ^ d.rotate_left(11) ^ *e;
        if let [f, g] = &x[i..i + k + 1] {
            h ^= f & g;
        }
        if let &[f, ..] = &x[i + 1..i + 1 + k] && f % 2 == 0 && let [3 | 9, g, ..] = &x[i..i + 4] {
            h = h.wrapping_mul(g | 1);
        }
        match &x[i..i + k] {
            [] => h + 1,
            [a] if a % 2 == 0 => h ^ a,
            [a, rest @ ..] => h ^ a ^ rest.len() as u64,
        }
    }
    adapted {
        let s = &x[i..i + 8];
        let h = s.windows(3).skip(1).filter(|w| matches!(w, [a, _, b] if a > b)).map(|w| match w {
            [a, .., b] => a - b,
            _ => 4,
        }).fold(0, |h: u64, v| h.wrapping_mul(31) ^ v);
        let h = s.chunks(3).fold(h, |h, own| match own {
            [a, b, _] => h ^ a ^ (b << 1),
            [a, ..] => h ^ (a << 2),
            [] => h,
        });
        s.windows(2).zip(s.chunks(2)).map(|(w, c)| match w {
            [a, b] => match c {
                [d, _] if a < d => *b,
                _ => a / 2,
            },
            _ => 0,
        }).fold(h, |h, v| h.rotate_left(3) ^ v)
    }
}

#[test]
fn slices_are_taken_apart_as_in_rust() {
    check::<patterns::cases>();
}

#[test]
fn bytes_are_compared_as_in_rust() {
    check::<bytes::cases>();
}
