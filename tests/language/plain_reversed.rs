//! `std::cmp::Reverse` in keys and comparisons, as in plain Rust.

use std::cmp::Reverse;

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

/// An enum with an equality of its own.
#[derive(Clone, Copy, GpuType)]
#[repr(u8)]
enum Parity {
    Zero,
    One,
    Two,
}

#[gpu_impl]
impl PartialEq for Parity {
    fn eq(&self, other: &Self) -> bool {
        *self as u8 % 2 == *other as u8 % 2
    }
}

/// What is left of a number.
#[gpu_fn]
fn parity(v: u64) -> Parity {
    match v % 3 {
        0 => Parity::Zero,
        1 => Parity::One,
        _ => Parity::Two,
    }
}

plain! { reversed(i, x):
    keys {
        let s = &x[i..i + 8];
        let mut h = *s.iter().max_by_key(|v| Reverse(**v)).unwrap_or(&1);
        h = mix(h, *s.iter().min_by_key(|v| Reverse(**v % 16)).unwrap_or(&1));
        let (k, v) = s.iter().enumerate().max_by_key(|(k, v)| (**v % 4, Reverse(*k))).unwrap_or((9, &0));
        h = mix(h, v ^ k as u64);
        let (k, v) = s.iter().enumerate().min_by_key(|&(k, v)| (Reverse(v % 3), Reverse(k))).unwrap_or((9, &0));
        h = mix(h, v ^ k as u64);
        let (k, _) = s.iter().enumerate().max_by_key(|&(_, v)| Reverse((v % 3, *v as u8))).unwrap_or((9, &0));
        h = mix(h, k as u64);
        h = mix(h, *s.iter().max_by_key(|v| Reverse(*v)).unwrap_or(&1));
        let pair = s.iter().min_by_key(|v| (Reverse(*v), 3)).unwrap_or(&1);
        h = mix(h, *pair);
        let twice = s.iter().enumerate().min_by_key(|&(k, v)| Reverse(Reverse(v % 5 + k as u64))).unwrap_or((9, &0));
        h = mix(h, twice.0 as u64);
        mix(h, s.iter().map(|v| Reverse(*v as i32)).max().map_or(3, |least| least.0 as u64))
    }
    comparisons {
        let (a, b) = (Reverse(x[i]), Reverse(x[i + 1]));
        let (c, d) = (std::cmp::Reverse(x[i] as i8), Reverse(x[i + 1] as i8));
        let (f, g) = (Reverse(f64::from_bits(x[i])), Reverse(f64::from_bits(x[i + 1])));
        let mut h = (a < b) as u64 | ((a <= b) as u64) << 1 | ((a > b) as u64) << 2 | ((a >= b) as u64) << 3;
        h |= ((a == b) as u64) << 4 | ((a != b) as u64) << 5 | ((c < d) as u64) << 6 | ((c >= d) as u64) << 7;
        h |= ((f < g) as u64) << 8 | ((f <= g) as u64) << 9 | ((f > g) as u64) << 10;
        let (p, q) = ((x[i] % 2, Reverse(x[i + 1] % 3)), (x[i + 2] % 2, Reverse(x[i + 3] % 3)));
        h |= ((p < q) as u64) << 11 | ((p >= q) as u64) << 12;
        h |= ((Reverse(parity(x[i])) == Reverse(parity(x[i + 1]))) as u64) << 13;
        h |= (((1, Reverse(parity(x[i]))) != (1, Reverse(parity(x[i + 1])))) as u64) << 14;
        let Reverse(inner) = a;
        let mut place = b;
        place.0 ^= 5;
        mix(h, inner ^ place.0)
    }
}

#[test]
fn reversed_orders_are_those_of_rust() {
    check::<reversed::cases>();
}
