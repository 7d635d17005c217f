//! Iterators in variables: walked later, advanced step by step, looked at, borrowed and copied, as in plain Rust.

#![allow(
    clippy::while_let_on_iterator,
    clippy::iter_nth_zero,
    clippy::useless_conversion,
    clippy::explicit_counter_loop,
    reason = "the cases are what people write"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the last one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

plain! { kept(i, x):
    walked_later {
        let part = x[i..i + 8].iter();
        let doubled = part.map(|v| v.wrapping_mul(2));
        doubled.fold(1, mix)
    }
    walked_by_one_of_two {
        let part = x[i..i + 8].iter().enumerate();
        let mut h = 0;
        if x[i] % 2 == 0 {
            for (k, v) in part {
                h = mix(h, v ^ k as u64);
            }
        } else {
            h = part.map(|(k, v)| v >> k).fold(3, mix);
        }
        h
    }
    steps {
        let mut it = x[i..i + 8].iter();
        let mut h = 0;
        while let Some(v) = it.next() {
            h = mix(h, *v);
            if v % 7 == 0 {
                break;
            }
        }
        for v in it {
            h = mix(h, !v);
        }
        h
    }
    two_at_a_time {
        let mut it = x[i..i + 7].iter().copied();
        let mut h = 5;
        while let Some(a) = it.next() {
            let Some(b) = it.next() else {
                return mix(h, a);
            };
            h = mix(h, a.wrapping_mul(b | 1));
        }
        h
    }
    pairs {
        let mut it = x[i..i + 9].iter();
        let mut h = 0;
        while let (Some(a), Some(b)) = (it.next(), it.next()) {
            h = mix(h, a ^ b.rotate_left(9));
        }
        h + it.len() as u64
    }
    borrowed {
        let mut it = x[i..i + 8].iter();
        let mut h = 0;
        for v in it.by_ref().take(3) {
            h = mix(h, *v);
        }
        for v in &mut it {
            if v % 3 == 1 {
                break;
            }
            h = mix(h, v ^ 1);
        }
        let next = it.next().copied().unwrap_or(9);
        mix(h, next).wrapping_add(it.fold(0, |h, v| mix(h, *v)))
    }
    borrowed_by_closures {
        let mut it = x[i..i + 8].iter();
        let mut h = it.by_ref().take_while(|v| **v % 5 != 2).fold(0, |h, v| mix(h, *v));
        h = mix(h, it.by_ref().filter(|v| **v % 2 == 0).take(2).count() as u64);
        it.next().map_or(h, |v| mix(h, *v))
    }
    searches {
        let mut it = x[i..i + 8].iter();
        let found = it.find(|v| **v % 4 == 3).copied();
        let place = it.position(|v| v % 2 == 0).map_or(77, |k| k as u64);
        let any = it.any(|v| *v > 1000);
        let rest = it.all(|v| *v < u64::MAX);
        mix(found.unwrap_or(2), place) ^ u64::from(any) ^ u64::from(rest) << 1
    }
    numbered {
        let mut it = x[i..i + 8].iter().enumerate();
        it.next();
        let (k, v) = it.nth(2).unwrap_or((9, &0));
        let h = mix(k as u64, *v);
        match it.nth(x[i] as usize % 6) {
            Some((k, v)) => mix(h, k as u64 ^ v),
            None => h ^ it.next().is_some() as u64,
        }
    }
    from_the_end {
        let mut it = x[i..i + 8].iter().rev().skip(1).step_by(2);
        let first = it.next().copied().unwrap_or(0);
        mix(first, it.fold(0, |h, v| mix(h, *v)))
    }
    zipped {
        let mut it = x[i..i + 4].iter().zip(&x[i + 4..i + 9]).chain(x[i..i + 2].iter().zip(&x[..2]));
        let mut h = 0;
        while let Some((a, b)) = it.next() {
            h = mix(h, a ^ b);
        }
        h
    }
    parts {
        let (mut pairs, mut all) = (0, 0);
        let mut chunks = x[i..i + 7].chunks(3);
        while let Some(part) = chunks.next() {
            all = mix(all, part[0] ^ part.len() as u64);
        }
        let mut windows = x[i..i + 6].windows(2);
        while let Some(w) = windows.next() {
            pairs = mix(pairs, w[0].wrapping_sub(w[1]));
        }
        mix(pairs, all)
    }
    made_by_closures {
        let k = i as u64;
        let mut it = x[i..i + 8].iter().map(move |v| v ^ k).filter(|v| v % 3 != 0);
        let first = it.next().unwrap_or(4);
        let second = it.next().unwrap_or(5);
        mix(first, second) ^ it.fold(0, mix)
    }
    states {
        let mut it = x[i..i + 8].iter().skip_while(|v| **v % 2 == 0).scan(0, |sum: &mut u64, v| {
            *sum = mix(*sum, *v);
            if *sum % 11 == 0 { None } else { Some(*sum) }
        });
        let first = it.next().unwrap_or(1);
        mix(first, it.next().unwrap_or(2)) ^ it.last().unwrap_or(3)
    }
    limited {
        let mut it = x[i..i + 8].iter().filter(|v| **v % 2 == 1).take(2);
        let first = it.next().copied();
        let second = it.next().copied();
        let third = it.next().copied();
        mix(first.unwrap_or(1), second.unwrap_or(2)) ^ third.unwrap_or(3)
    }
    looked_at {
        let mut it = x[i..i + 8].iter().peekable();
        let (mut h, mut runs) = (0, 0);
        while let Some(v) = it.next() {
            h = mix(h, *v);
            while it.peek().is_some_and(|next| **next > *v) {
                it.next();
                runs += 1;
            }
        }
        mix(h, runs)
    }
    looked_at_values {
        let mut it = x[i..i + 8].iter().copied().enumerate().peekable();
        let mut h = 0;
        loop {
            match it.peek() {
                Some(&(k, v)) if v % 3 == 0 => h = mix(h, v ^ k as u64),
                Some((k, _)) => h = mix(h, *k as u64),
                None => break,
            }
            it.next();
        }
        h
    }
    taken_if {
        let mut it = x[i..i + 8].iter().copied().peekable();
        let mut h = 0;
        while let Some(v) = it.next() {
            let mut number = v % 10;
            while let Some(digit) = it.next_if(|v| *v % 2 == 0) {
                number = number.wrapping_mul(10).wrapping_add(digit % 10);
            }
            h = mix(h, number);
        }
        h
    }
    merged {
        let mut left = x[i..i + 4].iter().peekable();
        let mut right = x[i + 4..i + 8].iter().peekable();
        let mut h = 0;
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => {
                    if a <= b { left.next() } else { right.next() }
                }
                (Some(_), None) => left.next(),
                (None, _) => right.next(),
            };
            let Some(v) = next else { break };
            h = mix(h, *v);
        }
        h
    }
    copied {
        let mut it = x[i..i + 8].iter();
        it.next();
        let rest = it.clone();
        let sum = it.clone().fold(0, |h, v| mix(h, *v));
        it.next();
        let mut other = it;
        mix(sum, *other.next().unwrap_or(&8)) ^ rest.len() as u64 ^ (other.len() as u64) << 8
    }
    ranges {
        let mut down = (0..9usize).rev();
        let mut odd = (1..=7usize).step_by(3);
        let mut all = (3u8..).into_iter();
        let mut h = down.next().map_or(0, |k| x[k]);
        while let Some(k) = odd.next() {
            h = mix(h, x[i + k]);
            h ^= u64::from(all.next().unwrap_or(0));
        }
        down.fold(h, |h, k| mix(h, x[k]))
    }
    changed {
        let mut own = [0u64; 8];
        let mut it = own.iter_mut();
        let mut k = 0;
        while let Some(place) = it.next() {
            *place = x[i + k] >> k;
            k += 1;
        }
        let mut it = own.iter_mut().rev();
        if let Some(last) = it.next() {
            *last = 7;
        }
        own.iter().fold(0, |h, v| mix(h, *v))
    }
    shadowed {
        let it = x[i..i + 8].iter();
        let it = it.copied().skip(2);
        let mut it = it.map(|v| v ^ 3);
        it.next().unwrap_or(0) ^ it.fold(1, mix)
    }
    nested {
        let mut it = x[i..i + 8].iter();
        let mut h = 0;
        'all: while let Some(v) = it.next() {
            for w in it.by_ref() {
                if w > v {
                    break;
                }
                if w % 13 == 5 {
                    break 'all;
                }
                h = mix(h, *w);
            }
            h = mix(h, !*v);
        }
        h
    }
    in_a_closure {
        let mut it = x[i..i + 8].iter();
        let mut number = || it.next().map_or(0, |v| v % 100);
        let high = number();
        let low = number();
        high * 100 + low
    }
}

#[test]
fn iterators_in_variables_are_those_of_rust() {
    check::<kept::cases>();
}

/// What would take an item that nothing gives, or run a closure twice for one.
#[gpu_kernel]
fn refused(x: &[u32], out: &mut [u32], #[comptime] case: u32) {
    let mut it = x.iter();
    let mut made = x.iter().map(|v| v + 1).peekable();
    let ended = x.iter().take_while(|v| **v > 0);
    out[0] = match case {
        0 => it.by_ref().zip(x).count() as u32,
        1 => it.by_ref().step_by(2).count() as u32,
        2 => (&mut it).rev().count() as u32,
        3 => made.peek().copied().unwrap_or(0),
        4 => made.next_if(|v| *v > 3).unwrap_or(0),
        5 => ended.clone().count() as u32,
        _ => x.iter().zip(it.by_ref()).count() as u32,
    };
}

#[test]
fn methods_that_iterators_in_variables_lack_are_refused_by_name() {
    for (case, method) in ["zip", "step_by", "rev", "peek", "next_if", "clone"].into_iter().enumerate() {
        let error = refused::cuda_source_for(&(case as u32,)).expect_err("refused").to_string();
        assert!(error.contains(&format!("`{method}`")) && error.contains("plain_iterators.rs"), "{error}");
    }
    refused::cuda_source_for(&(6,)).unwrap_or_else(|e| panic!("{e}"));
}
