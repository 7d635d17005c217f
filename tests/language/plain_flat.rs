//! `flat_map` and `flatten`: loops inside of loops, which adapters and ends behind them see as one.

#![allow(
    clippy::manual_flatten,
    clippy::never_loop,
    clippy::option_filter_map,
    clippy::unnecessary_lazy_evaluations,
    clippy::map_flatten,
    reason = "the cases are what people write"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

/// Numbers of a number.
#[gpu_fn]
fn digits(v: u64) -> [u64; 3] {
    [v % 10, v / 10 % 10, v / 100 % 10]
}

plain! { flat(i, x):
    loops {
        let mut h = 0;
        for (row, col) in (0..3u64).flat_map(|row| (row..4).map(move |col| (row, col))) {
            h = mix(h, row * 10 + col);
        }
        for v in x[i..i + 7].chunks(3).flatten() {
            h = mix(h, *v);
        }
        for v in [[1, 2, x[i]], [4, x[i + 1], 6]].iter().flatten() {
            h = mix(h, *v);
        }
        for v in [[1, 2, x[i]], [4, x[i + 1], 6]].into_iter().flatten() {
            h = mix(h, v);
        }
        h
    }
    ends {
        let s = &x[i..i + 8];
        let mut h = s.iter().flat_map(|v| digits(*v)).fold(1, mix);
        h = mix(h, s.iter().flat_map(|v| 0..*v % 5).sum::<u64>());
        h = mix(h, s.iter().flat_map(|v| 0..*v % 5).count() as u64);
        h = mix(h, s.iter().flat_map(|v| 1..*v % 5).max().unwrap_or(77));
        h = mix(h, s.iter().flat_map(|v| v % 3..*v % 5).min().unwrap_or(78));
        h = mix(h, s.iter().flat_map(|v| v % 3..=*v % 5).last().unwrap_or(79));
        h = mix(h, s.iter().flat_map(|v| v % 3..*v % 7).nth(3).unwrap_or(80));
        h = mix(h, s.iter().flat_map(|v| v % 3..*v % 7).next().unwrap_or(81));
        h = mix(h, s.iter().flat_map(|v| v % 3..*v % 7).position(|v| v == 4).unwrap_or(82) as u64);
        h = mix(h, s.iter().flat_map(|v| v % 3..*v % 7).reduce(mix).unwrap_or(83));
        h = mix(h, s.iter().flat_map(|v| digits(*v)).max_by_key(|d| *d % 4).unwrap_or(84));
        h = mix(h, s.iter().flat_map(|v| digits(*v)).min_by(|a, b| (a % 3).cmp(&(b % 3))).unwrap_or(85));
        h = mix(h, s.iter().flat_map(|v| digits(*v)).any(|d| d == 7) as u64);
        h = mix(h, s.iter().flat_map(|v| digits(*v)).all(|d| d < 9) as u64);
        h = mix(h, s.iter().flat_map(|v| digits(*v)).find(|d| *d > 5).unwrap_or(86));
        h = mix(h, s.iter().flat_map(|v| digits(*v)).find_map(|d| d.checked_sub(5)).unwrap_or(87));
        let mut k = 3;
        s.iter().flat_map(|v| digits(*v)).for_each(|d| k = mix(k, d));
        mix(h, k)
    }
    effects {
        let (mut outer, mut inner, mut asked, mut h) = (0u64, 0u64, 0u64, 0);
        let limit = (x[i] % 9) as usize;
        let all = (0..4u64)
            .inspect(|_| outer += 1)
            .flat_map(|a| (0..a + 1).map(move |b| a * 10 + b))
            .inspect(|_| inner += 1)
            .filter(|v| {
                asked += 1;
                v % 3 != 1
            })
            .take(limit);
        for v in all {
            h = mix(h, v);
        }
        mix(h, outer * 10000 + inner * 100 + asked)
    }
    taken {
        let (mut outer, mut inner, mut h) = (0u64, 0u64, 0);
        let n = (x[i] % 9) as usize;
        for a in 0..2u64 {
            h = mix(h, (0..3u64)
                .flat_map(|k| {
                    outer += 1;
                    k..k + 3
                })
                .map(|v| {
                    inner += 1;
                    v * 3 + a
                })
                .take(n)
                .fold(0, mix));
        }
        let sum = (0..3u64)
            .flat_map(|k| (0..4u64).flat_map(move |j| (0..j).map(move |l| k * 100 + j * 10 + l)))
            .inspect(|_| inner += 100)
            .take(n)
            .skip(2)
            .fold(0, mix);
        mix(mix(h, sum), outer * 10000 + inner)
    }
    closures_of_taken {
        let (mut runs, mut h) = (0u64, 0);
        let n = (x[i] % 5) as usize;
        for v in (0..3u64).take(n).flat_map(|k| {
            runs += 1;
            [k, k + 7]
        }).take(n) {
            h = mix(h, v);
        }
        for v in (0..3u64).flat_map(|k| {
            runs += 100;
            (0..2u64).filter(move |j| j + k != 2).take(n)
        }).take(n + 1) {
            h = mix(h, v);
        }
        mix(h, runs)
    }
    jumps {
        let mut h = 0;
        'all: for v in x[i..i + 8].chunks(3).flatten() {
            if v % 5 == 1 {
                continue;
            }
            if v % 11 == 2 {
                continue 'all;
            }
            for k in 0..3 {
                if v % 7 == k {
                    continue 'all;
                }
                if v % 13 == k {
                    break;
                }
                if v % 17 == k {
                    break 'all;
                }
                h = mix(h, k);
            }
            if v % 19 == 3 {
                break;
            }
            h = mix(h, *v);
        }
        let mut n = 0;
        let found = loop {
            for v in (n..n + 3).flat_map(|a| a..a + 2) {
                n += 1;
                if v > x[i] % 9 {
                    break;
                }
            }
            if n > 12 {
                break n;
            }
        };
        mix(h, found)
    }
    returns {
        for (a, v) in x[i..i + 8].chunks(3).enumerate().flat_map(|(a, part)| part.iter().map(move |v| (a, v))) {
            if v % 4 == 3 {
                return mix(a as u64, *v);
            }
        }
        1
    }
    decided {
        let s = &x[i..i + 8];
        let mut h = s.chunks(2).flatten().take_while(|v| **v % 16 != 9).fold(0, |h, v| mix(h, *v));
        h = s.chunks(3).flatten().skip_while(|v| **v % 2 == 0).fold(h, |h, v| mix(h, *v));
        h = s.chunks(3).flatten().map_while(|v| v.checked_sub(2)).fold(h, mix);
        h = s.chunks(3).flatten().filter_map(|v| v.checked_sub(2)).fold(h, mix);
        h = s.chunks(3).flatten().skip(2).take(3).fold(h, |h, v| mix(h, *v));
        h = s.chunks(3).flatten().enumerate().fold(h, |h, (k, v)| mix(h, v ^ k as u64));
        h = s.chunks(3).flatten().enumerate().skip(1).filter(|(k, _)| k % 2 == 0).fold(h, |h, (k, v)| mix(h, v ^ k as u64));
        h = s.chunks(3).flatten().scan(1, |s, v| {
            *s = mix(*s, *v);
            (*s % 7 != 0).then_some(*s)
        }).fold(h, mix);
        let inner = s.chunks(3).flat_map(|part| part.iter().take_while(|v| **v % 4 != 1)).fold(h, |h, v| mix(h, *v));
        let outer = s.chunks(3).take_while(|part| part[0] % 4 != 1).flatten().fold(h, |h, v| mix(h, *v));
        let after = s.chunks(3).skip_while(|part| part[0] % 2 != 1).flat_map(|part| part.iter().skip(1)).fold(h, |h, v| mix(h, *v));
        mix(mix(inner, outer), after)
    }
    adapters_inside {
        let s = &x[i..i + 8];
        let mut h = (0..4usize).flat_map(|a| s[a..].iter().rev().step_by(2)).fold(0, |h, v| mix(h, *v));
        h = (0..3usize).flat_map(|a| s[a..a + 3].iter().zip(&s[3..])).fold(h, |h, (a, b)| mix(h, a ^ b.rotate_left(3)));
        h = (0..3usize).flat_map(|a| s[..a].iter().chain(&s[a + 2..a + 4])).fold(h, |h, v| mix(h, *v));
        h = (0..3usize).flat_map(|a| s[..a].iter().take_while(|v| **v > 9).chain(&s[a + 2..a + 4])).fold(h, |h, v| mix(h, *v));
        h = (0..3usize).rev().flat_map(|a| s.windows(a + 1).map(|w| w[0] ^ w[w.len() - 1])).fold(h, mix);
        h = (0..2u64).flat_map(|a| (a..).take(3)).fold(h, mix);
        h = (0..3u64).flat_map(|a| (a..).take_while(|v| *v < 5)).fold(h, mix);
        (0..).flat_map(|a| [a, a + 5]).take(5).fold(h, mix)
    }
}

plain! { flatter(i, x):
    three_deep {
        let mut h = 0;
        for (a, b, c) in (0..3u64).flat_map(|a| (0..a + 1).flat_map(move |b| (b..3).map(move |c| (a, b, c)))) {
            if (a + b + c) % 5 == x[i] % 5 {
                continue;
            }
            if a * b * c == 4 {
                break;
            }
            h = mix(h, a * 100 + b * 10 + c);
        }
        let cube = [[[x[i], 2], [3, x[i + 1]]], [[x[i + 2], 6], [7, 8]]];
        h = cube.iter().flatten().flatten().fold(h, |h, v| mix(h, *v));
        h = cube.iter().flat_map(|plane| plane.iter().flatten()).fold(h, |h, v| mix(h, *v));
        cube.into_iter().flatten().flatten().filter(|v| v % 2 == 0).fold(h, mix)
    }
    options {
        let s = &x[i..i + 8];
        let mut h = s.iter().map(|v| v.checked_sub(3)).flatten().fold(0, mix);
        h = s.iter().flat_map(|v| v.checked_sub(3)).fold(h, mix);
        let held = [s[0].checked_sub(5), None, Some(s[1]), s[2].checked_mul(3)];
        h = held.iter().flatten().fold(h, |h, v| mix(h, *v));
        h = held.into_iter().flatten().fold(h, mix);
        h = mix(h, held.iter().copied().flatten().count() as u64);
        h = mix(h, held.iter().flatten().copied().max().unwrap_or(5));
        for (k, v) in held.iter().flatten().enumerate() {
            h = mix(h, v ^ k as u64);
        }
        h = (0..4usize).flat_map(|k| s.get(k * 3)).fold(h, |h, v| mix(h, *v));
        let rs = [Ok(s[3]), Err(3u8), s[4].checked_sub(9).ok_or(1u8)];
        h = rs.iter().flatten().fold(h, |h, v| mix(h, *v));
        let mut own = [Some(s[0]), None, Some(3)];
        for v in own.iter_mut().flatten() {
            *v ^= 9;
        }
        own.into_iter().flatten().fold(h, mix)
    }
    blocks {
        let s = &x[i..i + 8];
        let mut calls = 0u64;
        let h = (0..4usize)
            .flat_map(|a| {
                calls += 1;
                let from = if s[a] % 2 == 0 { 1 } else { a };
                let part = &s[from..a + 4];
                part.iter().map(move |v| v ^ a as u64)
            })
            .fold(0, mix);
        let g = (0..4u64).flat_map(|a| if a % 2 == 0 { 0..a } else { a..a + 2 }).fold(h, mix);
        let f = (0..4u64).flat_map(|a| if a == s[0] % 4 { 0..3 } else { a..a + 1 }).fold(g, mix);
        let e = (0..4usize).flat_map(|a| match s[a] % 3 { 0 => &s[..2], 1 => &s[a..], _ => &s[..0] }).fold(f, |h, v| mix(h, *v));
        mix(e, calls)
    }
    mutable {
        let mut own = [[x[i], x[i + 1]], [x[i + 2], 9]];
        for v in own.iter_mut().flatten() {
            *v = v.wrapping_mul(3);
        }
        for v in own.iter_mut().flat_map(|row| row.iter_mut().skip(1)) {
            *v ^= 5;
        }
        let mut flat = [0u64; 7];
        for (k, v) in flat.chunks_mut(3).flatten().enumerate() {
            *v = x[i + k] ^ k as u64;
        }
        own.iter().flatten().fold(flat[3], |h, v| mix(h, *v))
    }
    of_variables {
        let s = &x[i..i + 8];
        let all = s.chunks(3).flatten();
        let h = all.fold(0, |h, v| mix(h, *v));
        let mut rows = x[i..i + 8].chunks(2);
        let first = rows.next().map_or(0, |part| part[0]);
        let some = rows.by_ref().take(2).flatten().fold(first, |h, v| mix(h, *v));
        let found = rows.by_ref().flatten().find(|v| **v % 2 == 0).copied().unwrap_or(7);
        mix(mix(h, some), found) ^ rows.len() as u64
    }
    nested_walks {
        let mut h = 0;
        for v in x[i..i + 4].iter().flat_map(|v| 0..*v % 4) {
            for w in x[i + 2..i + 6].iter().flat_map(|w| *w % 3..4) {
                if w == v {
                    continue;
                }
                if w + v == 5 {
                    break;
                }
                h = mix(h, v * 10 + w);
            }
            h = mix(h, (0..v).flat_map(|a| a..v).filter(|a| a % 2 == 1).sum());
        }
        h
    }
}

#[test]
fn flat_iterators_are_those_of_rust() {
    check::<flat::cases>();
}

#[test]
fn iterators_of_iterators_and_options_are_those_of_rust() {
    check::<flatter::cases>();
}
