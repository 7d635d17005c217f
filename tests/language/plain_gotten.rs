//! `x.get(a..b)` and `x.get_mut(a..b)`, of ranges of every kind, in and out of bounds.

#![allow(clippy::reversed_empty_ranges, clippy::never_loop, reason = "the cases are edges")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

/// A number that moves at each call.
#[gpu_fn]
fn moved(k: &mut usize) -> usize {
    *k += 3;
    *k
}

plain! { parts(i, x):
    kinds {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let x = &x[i..i + 8];
        let (a, b) = ((x[0] % 12) as usize, (x[1] % 12) as usize);
        let mut h = told(x.get(a..b));
        h = mix(h, told(x.get(a..)));
        h = mix(h, told(x.get(..b)));
        h = mix(h, told(x.get(..=b)));
        h = mix(h, told(x.get(a..=b)));
        h = mix(h, told(x.get(..)));
        h = mix(h, told(x.get(0..0)));
        h = mix(h, told(x.get(8..)));
        h = mix(h, told(x.get(9..)));
        h = mix(h, told(x.get(8..8)));
        h = mix(h, told(x.get(3..=2)));
        h = mix(h, told(x.get(2..9)));
        mix(h, told(x.get(8..=7)))
    }
    edges {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let x = &x[i..i + 8];
        let k = x[0] as usize;
        let mut h = told(x.get(k..usize::MAX));
        h = mix(h, told(x.get(..=usize::MAX)));
        h = mix(h, told(x.get(usize::MAX..=usize::MAX)));
        h = mix(h, told(x.get(0..=k)));
        h = mix(h, told(x.get(k..)));
        h = mix(h, told(x.get(..k)));
        h = mix(h, told(x.get(usize::MAX..)));
        mix(h, told(x.get(k..k)))
    }
    conditions {
        let x = &x[i..i + 8];
        let (a, n) = ((x[0] % 9) as usize, (x[1] % 5) as usize);
        let mut h = 0;
        if let Some(part) = x.get(a..a + n) {
            h = mix(h, part.len() as u64);
            for v in part {
                h = mix(h, *v);
            }
        } else {
            h = 5;
        }
        let Some(rest) = x.get(a + n..) else {
            return mix(h, 77);
        };
        if let Some([first, others @ ..]) = rest.get(1..).map(|r| [r.len(), 2, 3]) {
            h = mix(h, (first + others.len()) as u64);
        }
        while let Some(part) = rest.get(..n) && part.len() > 3 {
            h = mix(h, part[0]);
            break;
        }
        h
    }
    pattern_of_a_part {
        let x = &x[i..i + 8];
        let a = (x[0] % 10) as usize;
        let Some(part) = x.get(a..) else { return 3 };
        match part {
            [] => 1,
            [one] => *one,
            [first, .., last] => mix(*first, *last),
        }
    }
    questions {
        let (a, n) = ((x[i] % 90) as usize, (x[i + 1] % 9) as usize);
        let sum_of = |start: usize, n: usize| -> Option<u64> {
            let part = x.get(start..start.checked_add(n)?)?;
            Some(part.iter().fold(0, |h, v| mix(h, *v)))
        };
        let far = sum_of( x[i + 2] as usize, x[i + 3] as usize);
        mix(sum_of(a, n).unwrap_or(11), far.unwrap_or(13))
    }
    methods {
        let x = &x[i..i + 8];
        let (a, b) = ((x[0] % 10) as usize, (x[1] % 10) as usize);
        let mut h = x.get(a..b).map_or(7, |part| part.len() as u64 + 1);
        h = mix(h, x.get(a..).map(|part| part.iter().fold(0, |h, v| mix(h, *v))).unwrap_or(3));
        h = mix(h, x.get(..b).is_some() as u64);
        h = mix(h, x.get(a..b).is_some_and(|part| part.contains(&3)) as u64);
        h = mix(h, x.get(..=b).and_then(|part| part.last()).copied().unwrap_or(17));
        h = mix(h, x.get(a..b).and_then(|part| part.first().copied()).unwrap_or(19));
        h = mix(h, x.get(a..).and_then(|part| part.get(1..)).and_then(|part| part.get(..2)).map_or(1, |p| p[1]));
        let part = x.get(a..b).unwrap_or(&x[..1]);
        mix(h, part.len() as u64)
    }
    matches {
        let x = &x[i..i + 8];
        let (a, b) = ((x[0] % 10) as usize, (x[1] % 10) as usize);
        match (x.get(a..), x.get(..b)) {
            (Some(p), Some(q)) if p.len() > q.len() => mix(p.len() as u64, 1),
            (Some(p), Some(q)) => mix(q.len() as u64, p.len() as u64),
            (None, Some(q)) => q.len() as u64 + 100,
            (Some(p), None) => p.len() as u64 + 200,
            (None, None) => 300,
        }
    }
    values {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let x = &x[i..i + 8];
        let (a, b) = ((x[0] % 10) as usize, (x[1] % 10) as usize);
        let (r, s) = (a..b, a..=b);
        let mut h = told(x.get(r.clone()));
        h = mix(h, told(x.get(s)));
        let t = 2..5;
        h = mix(h, told(x.get(t.clone())));
        mix(h, told(x[1..].get(r)) ^ t.len() as u64)
    }
    arrays {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let own = [x[i], x[i + 1], x[i + 2], x[i + 3], 9];
        let rows = [[x[i], 1, 2], [3, x[i + 1], 4]];
        let (a, b) = ((x[i] % 7) as usize, (x[i + 1] % 7) as usize);
        let mut h = told(own.get(a..b));
        h = mix(h, told(own.get(a..)));
        h = mix(h, told(rows[a % 2].get(..b)));
        let pick = rows.get(..b).map_or(0, |part| part.len() as u64);
        h = mix(h, pick);
        mix(h, told(own[1..].get(a..=b)))
    }
    written {
        let mut own = [x[i], x[i + 1], x[i + 2], x[i + 3], 9];
        let (a, b) = ((x[i] % 7) as usize, (x[i + 1] % 7) as usize);
        if let Some(part) = own.get_mut(a..b) {
            part.fill(5);
        }
        if let Some(part) = own.get_mut(b..) {
            for v in part {
                *v ^= 77;
            }
        }
        if let Some(part) = own.get_mut(..=a) {
            let n = part.len();
            part[n - 1] = 3;
            part.swap(0, n - 1);
        }
        if let Some(part) = own[1..].get_mut(..2) {
            part[0] = part[0].wrapping_add(part[1]);
        }
        let slice = &mut own[..];
        match slice.get_mut(b..=a) {
            Some(part) => part.reverse(),
            None => slice[0] = 1,
        }
        own.iter().fold(0, |h, v| mix(h, *v))
    }
    order {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let mut k = (x[i] % 3) as usize;
        let own = [x[i + 1]; 16];
        let mut h = told(own.get(moved(&mut k)..moved(&mut k)));
        h = mix(h, told(own.get(moved(&mut k)..=moved(&mut k))));
        h = mix(h, told(x[moved(&mut k)..].get(..moved(&mut k) % 9)));
        let r = own.get({ k += 1; k }..).is_some();
        mix(h, k as u64) ^ r as u64
    }
    other_integers {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let x = &x[i..i + 8];
        let (a, b) = ((x[0] % 10) as u8, (x[1] % 10) as u8);
        let mut n = 0;
        while let Some(part) = x.get(n..n + 2) {
            n += 2 + part[1] as usize % 2;
        }
        let mut k = 3;
        let r = x.get(k..).is_some();
        k -= 3;
        let h = told(x.get(usize::from(a)..usize::from(b)));
        mix(h, n as u64) ^ r as u64 ^ k as u64
    }
    never {
        let told = |part: Option<&[u64]>| part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)));
        let x = &x[i..i + 8];
        let a = (x[0] % 20) as usize;
        let part = x.get(if a > 9 { return 4 } else { a }..8);
        told(part)
    }
}

#[test]
fn parts_that_may_be_out_of_bounds_are_those_of_rust() {
    check::<parts::cases>();
}

/// What a part has, and 99 for none.
#[gpu_fn]
fn told(part: Option<&[u64]>) -> u64 {
    part.map_or(99, |part| part.iter().fold(part.len() as u64, |h, v| mix(h, *v)))
}

/// Bounds of other integer types, which Rust does not take.
#[gpu_kernel]
fn any_integers(x: &[u64], out: &mut [u64]) {
    let signed = x[0] as i32 - 3;
    out[0] = told(x.get(signed..2));
    out[1] = told(x.get(..=signed));
    out[2] = told(x.get(signed..=4i32));
    out[3] = told(x.get(1u8..3));
    out[4] = told(x.get(..=255u8));
    out[5] = told(x.get(signed..));
    if let Some(part) = out.get_mut(6u32..=7) {
        part.fill(1);
    }
}

#[test]
fn a_bound_of_another_integer_type_is_out_of_bounds_if_it_is_negative() {
    super::everywhere::<any_integers>(&(), |device| {
        for first in 1..5u64 {
            let x = [first, 2, 3, 4, 5];
            let out = super::written(device, (8, 0), |out| {
                let input = device.upload(&x).expect("memory");
                any_integers(&input, out).grid(1).block(1).launch(device)
            });
            let at = |bound: i64| usize::try_from(bound).ok();
            let signed = first as i64 - 3;
            let want = |part: Option<&[u64]>| {
                part.map_or(99, |part| {
                    part.iter().fold(part.len() as u64, |h, v| (h ^ v).rotate_left(7).wrapping_add(v >> 3))
                })
            };
            let parts = [
                want(at(signed).and_then(|a| x.get(a..2))),
                want(at(signed).and_then(|a| x.get(..=a))),
                want(at(signed).and_then(|a| x.get(a..=4))),
                want(x.get(1..3)),
                want(None),
                want(at(signed).and_then(|a| x.get(a..))),
                1,
                1,
            ];
            assert_eq!(out, parts, "{first}");
        }
    });
}
