//! Bytes and other short slices that are compared, matched and taken apart.

#![allow(clippy::op_ref, reason = "as users write it")]

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

#[test]
fn bytes_are_compared_as_in_rust() {
    check::<bytes::cases>();
}
