//! The order that Rust derives, by the first fields that differ: of structs, of enums with fields, and of what holds them.

use std::cmp::{Ordering, Reverse};

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

#[derive(Clone, Copy, Debug, Default, GpuType)]
#[gpu(PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Version {
    major: u8,
    minor: i16,
    patch: u64,
}

/// Incomparable where a coordinate is no number.
#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq, PartialOrd)]
#[repr(C)]
struct Place {
    at: [f32; 2],
    weight: f64,
}

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Keyed<K, V>(K, V);

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Suit {
    Clubs,
    Hearts,
    Spades,
}

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
enum Token {
    End,
    Number(i8),
    Name { letter: u16, version: Version },
    Both(Suit, bool),
    Last,
}

/// Rust's own derive, for the same shapes.
mod derived {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Version(pub u8, pub i16, pub u64);

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub struct Place(pub [f32; 2], pub f64);

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Token {
        End,
        Number(i8),
        Name(u16, Version),
        Both(u8, bool),
        Last,
    }
}

#[gpu_fn]
fn version(x: u64, y: u64) -> Version {
    Version { major: x as u8 & 1, minor: (y as i16 & 3) - 2, patch: x % 3 }
}

#[gpu_fn]
fn token(x: u64, y: u64) -> Token {
    match x % 6 {
        0 => Token::End,
        1 => Token::Number(y as i8),
        2 | 3 => Token::Name { letter: y as u16 & 1, version: version(x, y) },
        4 => Token::Both(if y % 2 == 0 { Suit::Spades } else { Suit::Hearts }, y % 3 == 0),
        _ => Token::Last,
    }
}

#[gpu_fn]
fn place(x: u64, y: u64) -> Place {
    let coordinate = |v: u64| if v % 5 == 0 { f32::NAN } else { (v % 3) as f32 - 1.0 };
    Place {
        at: [coordinate(x), coordinate(y)],
        weight: if y % 4 == 1 { f64::NAN } else { (x % 2) as f64 * -0.0 },
    }
}

#[gpu_fn]
fn number(order: Option<Ordering>) -> u64 {
    match order {
        Some(Ordering::Less) => 0,
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        None => 3,
    }
}

plain! { derived_orders(i, x):
    structs {
        let (a, b) = (version(x[i], x[i + 1]), version(x[i + 2], x[i + 3]));
        let signs = (a < b) as u64 | ((a <= b) as u64) << 1 | ((a > b) as u64) << 2 | ((a >= b) as u64) << 3;
        let equal = (a == b) as u64 | ((a != b) as u64) << 1 | ((a == Version::default()) as u64) << 2;
        let (least, most) = (a.min(b), a.max(b));
        let clamped = version(x[i + 4], x[i]).clamp(least, most);
        signs ^ equal << 4 ^ number(Some(a.cmp(&b))) << 8 ^ number(a.partial_cmp(&b)) << 10 ^ least.patch << 12
            ^ (most.major as u64) << 14 ^ (clamped.minor as u64) << 20 ^ clamped.patch << 32
    }
    floats {
        let (a, b) = (place(x[i], x[i + 1]), place(x[i + 2], x[i + 3]));
        let signs = (a < b) as u64 | ((a <= b) as u64) << 1 | ((a > b) as u64) << 2 | ((a >= b) as u64) << 3;
        signs ^ ((a == b) as u64) << 4 ^ number(a.partial_cmp(&b)) << 5 ^ number(b.partial_cmp(&a)) << 7
            ^ number(a.partial_cmp(&a)) << 9
    }
    enums {
        let (a, b) = (token(x[i], x[i + 1]), token(x[i + 2], x[i + 3]));
        let signs = (a < b) as u64 | ((a <= b) as u64) << 1 | ((a > b) as u64) << 2 | ((a >= b) as u64) << 3;
        let named = matches!(a.max(b), Token::Name { letter: 1, .. }) as u64 | ((a.min(b) == Token::End) as u64) << 1;
        signs ^ named << 4 ^ number(Some(a.cmp(&b))) << 6 ^ number(a.partial_cmp(&b)) << 8
            ^ ((a < Token::Number(3)) as u64) << 10 ^ ((Token::End >= b) as u64) << 11
    }
    options_and_results {
        let some = |v: u64| if v % 3 == 0 { None } else { Some((v % 4, version(v, v))) };
        let (a, b) = (some(x[i]), some(x[i + 1]));
        let tried = |v: u64| -> Result<u64, Suit> { if v % 2 == 0 { Ok(v) } else { Err(Suit::Hearts) } };
        let (r, s) = (tried(x[i]), tried(x[i + 1]));
        let best = a.max(b).map_or(9, |(v, _)| v) ^ r.min(s).unwrap_or(3);
        best ^ ((a < b) as u64) << 1 ^ ((a >= b) as u64) << 2 ^ ((r <= s) as u64) << 3 ^ ((Some(x[i]) > None) as u64) << 4
            ^ number(r.partial_cmp(&s)) << 5 ^ number(Some(a.cmp(&b))) << 7 ^ ((x[i].cmp(&9) < x[i + 1].cmp(&9)) as u64) << 9
    }
    generics_and_tuples {
        let (a, b) = (Keyed(x[i] % 2, version(x[i], x[i + 1])), Keyed(x[i + 1] % 2, version(x[i + 2], x[i + 3])));
        let pair = (token(x[i], x[i + 1]), Suit::Clubs) < (token(x[i + 1], x[i]), Suit::Hearts);
        let array = [version(x[i], 1), version(x[i + 1], 2)] <= [version(x[i + 2], 1), version(x[i], 2)];
        (a < b) as u64 | ((a.max(b).1.patch) << 1) | (pair as u64) << 3 | (array as u64) << 4
            | number((x[i] % 2, f32::NAN).partial_cmp(&(x[i + 1] % 2, 1.0))) << 5
    }
    keys {
        let all: [Version; 5] = std::array::from_fn(|k| version(x[i + k], x[i + k + 1]));
        let most = all.iter().max().map_or(0, |v| v.patch);
        let least = all.iter().copied().min().map_or(0, |v| v.minor as u64);
        let last = (0..8).max_by_key(|&k| token(x[i + k], x[i + 1])).unwrap_or(99);
        let first = x[i..i + 8].iter().min_by_key(|v| Reverse(version(**v, **v))).copied().unwrap_or(7);
        let by = all.iter().max_by(|a, b| a.cmp(b).reverse()).map_or(0, |v| v.patch);
        let floats = (0..6).min_by(|&a, &b| {
            place(x[i + a], 1).partial_cmp(&place(x[i + b], 1)).unwrap_or(Ordering::Equal)
        });
        most ^ least << 2 ^ (last as u64) << 20 ^ first << 24 ^ by << 30 ^ (floats.unwrap_or(9) as u64) << 40
    }
    sorted_by_hand {
        let mut all: [Token; 5] = std::array::from_fn(|k| token(x[i + k], x[i + k + 1]));
        for k in 1..5 {
            let mut j = k;
            while j > 0 && all[j] < all[j - 1] {
                all.swap(j, j - 1);
                j -= 1;
            }
        }
        all.windows(2).filter(|w| w[0] <= w[1]).count() as u64
            ^ ((all[4] == all[3]) as u64) << 4 ^ (all.is_sorted() as u64) << 5
    }
}

#[test]
fn derived_orders_are_rusts() {
    check::<derived_orders::cases>();
}

#[test]
fn the_order_on_the_host_is_the_derived_one() {
    let of_version = |v: Version| derived::Version(v.major, v.minor, v.patch);
    let of_token = |t: Token| match t {
        Token::End => derived::Token::End,
        Token::Number(n) => derived::Token::Number(n),
        Token::Name { letter, version } => derived::Token::Name(letter, of_version(version)),
        Token::Both(suit, b) => derived::Token::Both(suit as u8, b),
        Token::Last => derived::Token::Last,
    };
    let of_place = |p: Place| derived::Place(p.at, p.weight);
    let numbers = 0..18u64;
    let all: Vec<(u64, u64)> = numbers.clone().flat_map(|x| numbers.clone().map(move |y| (x, y))).collect();
    let mut seen = [0; 4];
    for &(x, y) in &all {
        for &(z, w) in &all {
            let (a, b) = (token(x, y), token(z, w));
            assert_eq!(a.cmp(&b), of_token(a).cmp(&of_token(b)), "{a:?} {b:?}");
            let (a, b) = (version(x, y), version(z, w));
            assert_eq!(a.cmp(&b), of_version(a).cmp(&of_version(b)), "{a:?} {b:?}");
            let (a, b) = (place(x, y), place(z, w));
            assert_eq!(a.partial_cmp(&b), of_place(a).partial_cmp(&of_place(b)), "{a:?} {b:?}");
            seen[number(a.partial_cmp(&b)) as usize] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

#[gpu_kernel]
fn least(x: &[Version], out: &mut [Version]) {
    let i = global_id();
    if i < out.len() {
        out[i] = x[2 * i].min(x[2 * i + 1]);
    }
}

#[test]
fn ordered_structs_in_memory() {
    everywhere::<least>(&(), |device| {
        let x: Vec<_> = (0..32).map(|k| version(k * 7, k * 5)).collect();
        let want: Vec<_> = x.chunks_exact(2).map(|pair| pair[0].min(pair[1])).collect();
        let x = device.upload(&x).expect("memory");
        let out =
            super::written(device, (16, Version::default()), |out| least(&x, out).over(16).launch(device));
        assert_eq!(out, want, "on {}", device.name());
    });
}

/// Ordered in Rust, by a derive that kernels do not see.
#[derive(Clone, Copy, PartialEq, PartialOrd, GpuType)]
#[repr(C)]
enum Unseen {
    Some(u32),
    None,
}

#[gpu_kernel]
fn less(x: Unseen, y: Unseen, out: &mut [u32]) {
    out[0] = (x < y) as u32;
}

#[test]
fn an_order_that_kernels_do_not_see_is_refused() {
    let error = less::cuda_source().expect_err("it is not known").to_string();
    let says = "`<` is not known on `Unseen` in a kernel; if its order is the derived one, write `#[gpu(PartialOrd)]`";
    assert!(error.contains(says), "{error}");
}
