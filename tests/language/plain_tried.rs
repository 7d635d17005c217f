//! `try_fold` and `try_for_each`, which the closure may end.

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

plain! { tried(i, x):
    options {
        let s = &x[i..i + 8];
        let sum = s.iter().try_fold(0u64, |sum, v| sum.checked_add(*v));
        let product = s.iter().take(3).copied().try_fold(1u64, u64::checked_mul);
        let mut h = mix(sum.unwrap_or(7), product.map_or(9, |p| p / 2));
        if let Some(v) = s.iter().try_fold(u64::MAX, |rest, v| rest.checked_sub(*v)) {
            h = mix(h, v);
        }
        let Some(last) = s.iter().try_fold(0, |last, v| (*v % 7 != 3).then_some(last ^ v)) else {
            return mix(h, 1);
        };
        mix(h, last)
    }
    results {
        let s = &x[i..i + 8];
        let sum = s.iter().enumerate().try_fold(0u64, |sum, (k, v)| sum.checked_add(*v).ok_or(k as u32));
        let h = match sum {
            Ok(sum) => sum,
            Err(k) => k as u64 + 100,
        };
        let all = s.iter().try_for_each(|v| if v % 5 == 2 { Err(*v) } else { Ok(()) });
        mix(h, all.err().unwrap_or(3))
    }
    how_far {
        let s = &x[i..i + 8];
        let (mut seen, mut h) = (0u64, 0);
        let small = s.iter().try_for_each(|v| {
            seen += 1;
            if v % 6 == 5 {
                return_none(*v)
            } else {
                h = mix(h, *v);
                Some(())
            }
        });
        mix(h, seen) ^ small.is_some() as u64
    }
    none {
        let empty = x[..0].iter().try_fold(x[i], |sum, v| sum.checked_add(*v));
        let nothing = x[..0].iter().try_for_each(|v| (*v > 3).then_some(()));
        mix(empty.unwrap_or(4), nothing.is_some() as u64)
    }
    going_on {
        let mut it = x[i..i + 8].iter();
        let first = it.try_fold(0u64, |sum, v| if sum > 1 << 40 { None } else { Some(sum.wrapping_add(*v)) });
        let second = it.try_for_each(|v| if v % 2 == 0 { Some(()) } else { None }).is_none();
        it.fold(mix(first.unwrap_or(5), second as u64), |h, v| mix(h, *v))
    }
    adapted {
        let s = &x[i..i + 8];
        let mut calls = 0u64;
        let sum = s
            .iter()
            .map(|v| {
                calls += 1;
                v % 100
            })
            .filter(|v| *v != 3)
            .try_fold((0u64, 0u64), |(n, sum), v| if sum > 200 { None } else { Some((n + 1, sum + v)) });
        let flat = s.chunks(3).flatten().try_fold(1u64, |h, v| if v % 11 == 4 { None } else { Some(mix(h, *v)) });
        let back = s.iter().rev().skip(1).try_fold(0u32, |n, v| n.checked_sub(*v as u32));
        let (n, sum) = sum.unwrap_or((40, 50));
        mix(mix(n, sum), mix(calls, flat.unwrap_or(60))) ^ back.map_or(70, u64::from)
    }
    nested {
        let s = &x[i..i + 8];
        let deep = (0..3usize).try_fold(0u64, |h, a| {
            let inner = s[a..].iter().try_fold(h, |h, v| if v % 13 == 5 { None } else { Some(mix(h, *v)) });
            inner.or(if a == 1 { Some(17) } else { None })
        });
        deep.unwrap_or(23)
    }
}

/// `None`, of a type that tells what is tried.
#[gpu_fn]
fn return_none(v: u64) -> Option<()> {
    if v > 0 { None } else { Some(()) }
}

#[test]
fn folds_that_may_end_are_those_of_rust() {
    check::<tried::cases>();
}
