//! Functions that do in a kernel what the same tokens do in plain Rust.
//!
//! The bodies are compiled twice, with the attribute and without. So Rust itself is the reference, and a new case is a body.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Inputs of a case: it reads those from its index on.
const WORDS: usize = 72;

/// Times that each case runs.
pub const CASES: usize = 64;

/// Random bits of random length, with edges among them.
fn words(seed: u64) -> Vec<u64> {
    const EDGES: [u64; 12] =
        [0, 1, 2, 3, 9, 63, 255, u64::MAX, u64::MAX - 1, 1 << 63, i32::MAX as u64, 0x7ff8 << 48];
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 31)
    };
    let mut word = |i: usize| match i % 3 {
        0 => EDGES[(next() % EDGES.len() as u64) as usize],
        _ => next() >> (next() % 64),
    };
    (0..WORDS).map(&mut word).collect()
}

/// A module with one kernel for the bodies, each of which gives a number for an index and some words.
macro_rules! plain {
    ($module:ident($i:ident, $x:ident): $($case:ident $body:tt)+) => {
        mod $module {
            use super::*;

            mod host {
                #[allow(unused_imports)]
                use super::*;
                $(pub fn $case($i: usize, $x: &[u64]) -> u64 $body)+
            }

            mod device {
                #[allow(unused_imports)]
                use super::*;
                $(#[gpu_fn] pub fn $case($i: usize, $x: &[u64]) -> u64 $body)+
            }

            #[gpu_kernel]
            pub fn cases(x: &[u64], out: &mut [u64]) {
                let i = global_id();
                let values = [$(device::$case(i, x)),+];
                for (k, value) in values.iter().enumerate() {
                    out[k * CASES + i] = *value;
                }
            }

            impl Plain for cases {
                const NAMES: &[&str] = &[$(stringify!($case)),+];

                fn on_host(i: usize, x: &[u64]) -> Vec<u64> {
                    vec![$(host::$case(i, x)),+]
                }

                fn run(device: &Device, x: &Buffer<u64>, out: &mut Buffer<u64>) -> warpsmith::Result<()> {
                    cases(x, out).grid(2).block(CASES / 2).launch(device)
                }
            }
        }
    };
}

/// A kernel of cases, and their values by plain Rust.
pub trait Plain: Kernel<Comptime = ()> {
    const NAMES: &[&str];

    fn on_host(i: usize, x: &[u64]) -> Vec<u64>;

    fn run(device: &Device, x: &Buffer<u64>, out: &mut Buffer<u64>) -> warpsmith::Result<()>;
}

pub fn check<K: Plain>() {
    everywhere::<K>(&(), |device| {
        for seed in 1..3 {
            let x = words(seed);
            let input = device.upload(&x).expect("memory");
            let got = written(device, (K::NAMES.len() * CASES, 0), |out| K::run(device, &input, out));
            for i in 0..CASES {
                for (k, want) in K::on_host(i, &x).into_iter().enumerate() {
                    let read = &x[i..WORDS.min(i + 8)];
                    assert_eq!(got[k * CASES + i], want, "{} of {read:x?} on {}", K::NAMES[k], device.name());
                }
            }
        }
    });
}

/// A node of a tree.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Node {
    Leaf(u32),
    Pair { left: u16, right: u16 },
    Tagged(u8, u32),
    Nil,
}

plain! { alternatives(i, x):
    bar_names {
        let pair = (x[i] % 4, x[i + 1] % 16);
        match pair {
            (0, n) | (n, 0) => n + 100,
            (1, b @ 3..=9) | (2, b @ (1 | 2)) if b != 5 => b * 7,
            (a, b) => a * 1000 + b,
        }
    }
    option_bar {
        let r: Result<u64, u64> = if x[i] % 2 == 0 { Ok(x[i] / 2) } else { Err(x[i + 1]) };
        let (Ok(v) | Err(v)) = r;
        let t = match r {
            Ok(a) | Err(a) if a > 10 => 1,
            Ok(_) => 2,
            Err(e) => e,
        };
        v ^ t
    }
    or_for {
        let rs: [Result<u64, u64>; 4] =
            [Ok(x[i]), Err(x[i + 1]), Ok(3), if x[i] % 2 == 0 { Ok(x[i + 2]) } else { Err(9) }];
        let mut s = 0u64;
        for Ok(v) | Err(v) in rs {
            s = s.rotate_left(5) ^ v;
        }
        let f = |(Ok(a) | Err(a)): Result<u64, u64>| a / 3;
        s ^ f(rs[0]) ^ f(rs[3])
    }
    or_mut {
        let mut p = (x[i] % 3, [x[i + 1] % 5, 7]);
        match &mut p {
            (0, [v, _]) | (1, [_, v]) => *v += 100,
            (n, [a, ..]) => {
                *n += 1;
                *a ^= 1;
            }
        }
        let mut o = if x[i + 2] % 2 == 0 { Some(x[i + 3] % 9) } else { None };
        match o {
            Some(ref mut v @ (1 | 2)) | Some(ref mut v @ 5..) => *v *= 10,
            Some(_) | None => {}
        }
        match (x[i + 4] % 4, x[i + 5] % 4) {
            (mut a, 0) | (0, mut a) => {
                a += 5;
                p.0 += a;
            }
            _ => {}
        }
        p.0 + p.1[0] * 1000 + p.1[1] * 1000000 + o.unwrap_or(50) * 100000000
    }
    or_guard_effects {
        let mut calls = 0u64;
        let mut ask = |v: u64| {
            calls += 1;
            v > 5
        };
        let r = match (x[i] % 10, x[i + 1] % 10) {
            (a, 3) | (3, a) | (a, _) if ask(a) => a,
            (_, b) => 100 + b,
        };
        r + calls * 1000
    }
    or_if_let {
        let t = (x[i] % 4, x[i + 1] % 4);
        let mut s = 0;
        if let (0, v) | (v, 1) = t
            && v > 1
        {
            s += v;
        } else {
            s += 100;
        }
        while let (2, v) | (v, 2) = (s % 5, 2) {
            s += v + 1;
            if s > 300 {
                break;
            }
        }
        let ((3, w) | (w, _)) = t;
        s + matches!(t, (1, q) | (q, 2) if q > 1) as u64 * 1000 + w * 10000
    }
    or_enum {
        let n = match x[i] % 4 {
            0 => Node::Leaf(x[i + 1] as u32),
            1 => Node::Pair { left: x[i + 1] as u16, right: 5 },
            2 => Node::Tagged(x[i + 1] as u8, 77),
            _ => Node::Nil,
        };
        match n {
            Node::Leaf(v @ 0..=9) | Node::Tagged(_, v) | Node::Leaf(v) => v as u64,
            Node::Pair { left: a, right: b } | Node::Pair { right: b, left: a } if a > 300 => (a | b) as u64,
            Node::Pair { left, .. } => left as u64 * 2,
            Node::Nil => 1,
        }
    }
}

plain! { chains(i, x):
    chain_else {
        let o = x[i].checked_sub(10);
        if let Some(a) = o
            && let Some(b) = x[i + 1].checked_sub(a)
            && b > 3
        {
            a.wrapping_add(b)
        } else if let Some(c) = o
            && c % 2 == 0
        {
            c
        } else {
            7
        }
    }
    let_chain_values {
        let mut total = 0u64;
        for j in 0..4usize {
            let a = x[i + j].checked_sub(20);
            let v = if j > 0
                && let Some(a) = a
                && let Some(b) = a.checked_mul(3)
                && b % 2 == 0
            {
                if b > 1 << 60 {
                    continue;
                }
                b
            } else if let Some(b) = a
                && let 0..=50 = b
            {
                b + 1
            } else {
                if j == 3 {
                    break;
                }
                5
            };
            total = total.wrapping_mul(7).wrapping_add(v);
        }
        let mut k = 0usize;
        while k < 6
            && let Some(v) = x.get(i + k)
            && let Some(w) = v.checked_add(9)
        {
            k += 1;
            if w % 5 == 0 {
                continue;
            }
            if w % 7 == 0 {
                break;
            }
            total ^= w;
        }
        total
    }
    chain_return {
        if let Some(a) = x[i].checked_sub(5)
            && let Some(b) = x[i + 1].checked_sub(a)
        {
            return a ^ b;
        } else {
            return x[i + 2];
        }
    }
    chain_unit {
        let mut s = [0u64; 3];
        if let [a, b, ..] = [x[i], x[i + 1], 3]
            && a < b
            && let Some(p) = s.get_mut((a % 4) as usize)
        {
            *p += b;
        } else {
            s[0] = 77;
        }
        if let Some(q) = s.iter().position(|v| *v > 70)
            && let v @ 1.. = s[q]
        {
            s[2] ^= v;
        }
        s[0] ^ s[1] << 1 ^ s[2] << 2
    }
}

plain! { deciding_adapters(i, x):
    prefix {
        let s = &x[i..i + 8];
        let mut h = s.iter().take_while(|v| **v < 1 << 50).count() as u64;
        for (k, v) in s.iter().skip_while(|v| **v % 2 == 0).filter(|v| **v != 3).map(|v| (v % 9, v % 5)) {
            h = h.wrapping_mul(31).wrapping_add(k * 7 + v);
        }
        h = h.wrapping_mul(31).wrapping_add(s.iter().map_while(|v| v.checked_sub(2)).fold(1, |a, b| a ^ b));
        h = h.wrapping_mul(31).wrapping_add(
            s.iter().filter_map(|&v| if v % 3 == 0 { Some(v / 3) } else { None }).max().unwrap_or(7),
        );
        let mut seen = 0u64;
        h ^= s
            .iter()
            .inspect(|v| seen = seen.wrapping_add(**v))
            .take(5)
            .enumerate()
            .filter(|(k, v)| k % 2 == 0 && **v > 5)
            .map(|(k, _)| k as u64)
            .sum::<u64>();
        for (k, v) in (0..20u64).take_while(|k| k * k < x[i] % 300).enumerate() {
            h = h.rotate_left(3) ^ v ^ (k as u64) << 40;
        }
        h ^ seen
    }
    scans {
        let s = &x[i..i + 8];
        let mut acc = 0;
        for v in s.iter().scan(1u64, |st, v| {
            *st = st.wrapping_mul(3).wrapping_add(*v);
            Some(*st)
        }) {
            acc ^= v;
        }
        let limit = x[i] % 1000;
        let n = s
            .iter()
            .scan((0u64, 1u32), |(sum, n), &v| {
                *sum += v % 100;
                *n *= 2;
                if *sum > limit { None } else { Some((*sum, *n)) }
            })
            .map(|(a, b)| a + b as u64)
            .fold(3, |p, q| p * 7 + q);
        acc ^ n
    }
    nested_iters {
        let mut h = 0u64;
        for a in (0..4usize).filter(|a| x[i + a] % 2 == 0) {
            for v in x[i..i + a].iter().skip_while(|v| **v < 10) {
                h = h.rotate_left(5) ^ v;
                if h % 11 == 0 {
                    break;
                }
            }
            h ^= x[i + a..i + 8]
                .iter()
                .take_while(|v| {
                    (0..3u64)
                        .filter_map(|k| if k > 0 { Some(k * 5) } else { None })
                        .all(|k| **v % (k + 2) != 1)
                })
                .count() as u64;
        }
        h
    }
    find_pos {
        let s = &x[i..i + 8];
        let a = s.iter().take_while(|v| **v != 0).position(|v| *v > 1000).map_or(50, |p| p as u64);
        let b = s.iter().filter_map(|v| v.checked_add(u64::MAX / 2)).find(|v| v % 2 == 1).unwrap_or(9);
        let c = s.iter().rev().filter_map(|v| (v % 4 < 2).then_some(v % 8)).rev().fold(0, |a, v| a * 8 + v);
        let d = s
            .iter()
            .skip(1)
            .zip(s.iter())
            .map_while(|(p, q)| (p != q).then(|| p ^ q))
            .reduce(|p, q| p.rotate_left(1) ^ q)
            .unwrap_or(2);
        a ^ b ^ c ^ d
    }
}

/// An element with a key.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Scored {
    a: u64,
    b: u64,
}

plain! { orders(i, x):
    orders {
        use std::cmp::Ordering;
        let (a, b) = (f64::from_bits(x[i]), f64::from_bits(x[i + 1]));
        let t = match a.total_cmp(&b) {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        let p = a.partial_cmp(&b).map_or(9, |o| o as i32 as u64);
        let q = match (x[i] as f32).partial_cmp(&f32::from_bits(x[i + 1] as u32)) {
            Some(Ordering::Less) => 4,
            None => 5,
            Some(o) if o.is_gt() => 6,
            _ => 7,
        };
        let c = (x[i] as i8).cmp(&(x[i + 1] as i8)).then_with(|| x[i + 2].cmp(&x[i + 3])).reverse();
        let (mut lo, mut hi) = (0u64, 100u64);
        let key = x[i + 4] % 100;
        while lo < hi {
            let mid = (lo + hi) / 2;
            match mid.cmp(&key) {
                Ordering::Less => lo = mid + 1,
                Ordering::Greater => hi = mid,
                Ordering::Equal => {
                    lo = mid + 500;
                    break;
                }
            }
        }
        (t + p.wrapping_mul(10)) ^ (q * 1000) ^ ((c as i8 as u64) << 20) ^ (lo * 100000)
            ^ c.is_le() as u64
            ^ ((c.then(Ordering::Less) == Ordering::Less) as u64 * 4)
    }
    extremes {
        let s = &x[i..i + 8];
        let (k, v) = s.iter().enumerate().max_by_key(|(_, v)| **v % 16).unwrap();
        let (m, w) = s.iter().enumerate().min_by_key(|&(k, v)| (*v % 16) as i8 - k as i8 % 2).unwrap();
        let f = s.iter().map(|v| (*v % 1000) as f32 / 7.0).max_by(|a, b| a.total_cmp(b)).unwrap();
        let g = s.iter().copied().min_by(|a, b| (a % 5).cmp(&(b % 5)).then(b.cmp(a))).unwrap();
        let h = s
            .iter()
            .filter(|v| **v > u64::MAX / 2)
            .max_by(|a, b| a.partial_cmp(b).unwrap())
            .map_or(5, |v| *v);
        let none = s[..0].iter().min_by_key(|v| **v).is_none();
        let cells =
            [Scored { a: s[0] % 4, b: 1 }, Scored { a: s[1] % 4, b: 2 }, Scored { a: s[2] % 4, b: 3 }];
        let best = cells.iter().max_by_key(|c| c.a).unwrap();
        let least = cells.into_iter().min_by(|c, d| c.a.cmp(&d.a)).unwrap();
        let mut r = [s[0], s[1], s[2], s[3], s[4]];
        r.reverse();
        r[1..4].reverse();
        (k as u64 * 3) ^ (v << 1) ^ ((m as u64) << 40) ^ w.rotate_left(9)
            ^ f.to_bits() as u64
            ^ g.rotate_left(17)
            ^ h.rotate_left(29)
            ^ none as u64
            ^ (best.b * 77)
            ^ (least.b << 50)
            ^ r[0].wrapping_mul(3)
            ^ r[1].wrapping_mul(5)
            ^ r[3]
    }
}

#[test]
fn names_inside_alternatives() {
    check::<alternatives::cases>();
}

#[test]
fn chains_of_patterns_with_else() {
    check::<chains::cases>();
}

#[test]
fn adapters_whose_closures_decide_about_steps() {
    check::<deciding_adapters::cases>();
}

#[test]
fn orderings_and_extremes_by_them() {
    check::<orders::cases>();
}
