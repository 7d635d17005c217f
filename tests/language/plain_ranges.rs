//! Ranges in variables that are advanced, as in plain Rust.

#![allow(
    unused_variables,
    clippy::iter_nth_zero,
    clippy::while_let_on_iterator,
    reason = "not every case reads its input, and loops are as people write them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

plain! { ranges(i, x):
    steps {
        let mut r = 0..x[i] % 9;
        let mut h = 0;
        while let Some(v) = r.next() {
            h = mix(h, v);
            if v % 4 == 3 {
                break;
            }
        }
        let last = r.next_back().unwrap_or(77);
        mix(mix(h, last), r.end - r.start)
    }
    left {
        let (a, b) = ((x[i] % 12) as usize, (x[i + 1] % 12) as usize);
        let mut r = a..b;
        let first = r.next().map_or(50, |k| x[i + k % 8]);
        let third = r.nth(1).map_or(51, |k| k as u64);
        let mut h = mix(first, third);
        for k in r.clone() {
            h = mix(h, k as u64);
        }
        h = mix(h, r.len() as u64);
        mix(h, r.map(|k| k as u64).sum())
    }
    beyond {
        let n = (x[i] % 7) as usize;
        let mut small = 250u8..255;
        let mut signed = -3i32..x[i + 1] as i8 as i32;
        let mut wide = x[i + 2]..x[i + 3];
        let mut h = small.nth(n).map_or(1, u64::from);
        h = mix(h, small.nth(300).map_or(2, u64::from));
        h = mix(h, small.next().map_or(3, u64::from));
        h = mix(h, signed.nth(n).map_or(4, |v| v as u64));
        h = mix(h, signed.next_back().map_or(5, |v| v as u64));
        h = mix(h, wide.nth(x[i + 4] as usize).unwrap_or(6));
        h = mix(h, wide.next().unwrap_or(7));
        mix(mix(h, wide.start), mix(wide.end, signed.start as u64))
    }
    order {
        let mut r = 0..9usize;
        let mut h = 0;
        while let (Some(a), Some(b)) = (r.next(), r.next_back()) {
            h = mix(h, (a * 10 + b) as u64);
            if r.nth({ h ^= 1; a % 2 }).is_none() {
                break;
            }
        }
        let pairs = [r.next(), r.next(), r.nth(0)];
        pairs.iter().flatten().fold(h, |h, v| mix(h, *v as u64))
    }
}

#[test]
fn ranges_in_variables_are_advanced_as_in_rust() {
    check::<ranges::cases>();
}

#[gpu_kernel]
fn inclusive(out: &mut [u32]) {
    let mut r = 1..=4u32;
    out[0] = r.next().unwrap_or(0);
}

#[test]
fn an_inclusive_range_is_not_advanced() {
    let error = inclusive::cuda_source().expect_err("it has no room for whether it is over").to_string();
    assert!(error.contains("`next`") && error.contains("(a..=b).into_iter()"), "{error}");
}
