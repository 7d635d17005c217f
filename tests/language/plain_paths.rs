//! Functions by their names where closures are expected: of the user's own, of types, of traits, and operators.

#![allow(
    clippy::map_clone,
    clippy::map_flatten,
    clippy::suspicious_arithmetic_impl,
    clippy::unnecessary_fold,
    reason = "the cases are what people write"
)]

use std::ops::{Add, BitXor, Mul};

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

#[gpu_fn]
fn twice(v: u64) -> u64 {
    v.wrapping_mul(2)
}

#[gpu_fn]
fn is_odd(v: &u64) -> bool {
    *v % 2 == 1
}

#[gpu_fn]
fn same<T: GpuType>(v: T) -> T {
    v
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u64,
    b: u64,
}

#[gpu_impl]
impl Pair {
    fn new(a: u64) -> Pair {
        Pair { a, b: 3 }
    }

    fn joined(self) -> u64 {
        self.a ^ self.b
    }

    fn checked(a: u64) -> Option<u64> {
        if a > 9 { Some(a) } else { None }
    }
}

#[gpu_impl]
impl Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        Pair { a: self.a.wrapping_add(other.b), b: self.b ^ other.a }
    }
}

plain! { paths(i, x):
    operators {
        let s = &x[i..i + 8];
        let mut h = s.iter().map(|v| v % 100).fold(0, Add::add);
        h = mix(h, s.iter().map(|v| v % 9).fold(1, Mul::mul));
        h = mix(h, s.iter().copied().fold(1, BitXor::bitxor));
        h = mix(h, s.iter().copied().fold(u64::MAX, std::ops::BitAnd::bitand));
        h = mix(h, s.iter().map(|v| v % 100).fold(0, u64::add));
        h = mix(h, s.iter().map(|v| (v % 9) as i32).fold(500, std::ops::Sub::sub) as u64);
        h = mix(h, s.iter().copied().reduce(BitXor::bitxor).unwrap_or(3));
        h = mix(h, s.iter().fold(7, BitXor::bitxor));
        h = mix(h, s.iter().map(|v| (v % 64) as f32).fold(0.5, Add::add).to_bits() as u64);
        mix(h, s.iter().copied().map(Pair::new).fold(Pair::new(1), Add::add).joined())
    }
    of_types {
        let s = &x[i..i + 8];
        let mut h = s.iter().copied().fold(0, u64::wrapping_add);
        h = mix(h, s.iter().map(|v| (*v % 1000) as f32).map(f32::sqrt).fold(0.0, f32::max).to_bits() as u64);
        h = mix(h, s.iter().map(|v| *v as u32).map(u64::from).fold(0, u64::max));
        h = mix(h, s.iter().copied().reduce(u64::min).unwrap_or(3));
        h = mix(h, s.iter().map(|v| *v as f32).max_by(f32::total_cmp).unwrap_or(2.0).to_bits() as u64);
        h = mix(h, s.iter().copied().map(u64::count_ones).sum::<u32>() as u64);
        h = mix(h, s.iter().copied().max_by(u64::cmp).unwrap_or(0));
        h = mix(h, s.iter().map(|v| *v as i32).map(i32::wrapping_abs).fold(0, i32::wrapping_add) as u64);
        h = mix(h, s.iter().copied().map(u64::leading_zeros).map(f64::from).fold(0.0, f64::max).to_bits());
        h = mix(h, s.iter().map(u64::clone).map(u64::swap_bytes).fold(3, mix));
        mix(h, s.iter().copied().try_fold(0, u64::checked_add).unwrap_or(7))
    }
    of_traits {
        let s = &x[i..i + 8];
        let mut h = s.iter().copied().min_by(Ord::cmp).unwrap_or(0);
        h = mix(h, *s.iter().max_by(Ord::cmp).unwrap_or(&0));
        h = mix(h, s.iter().copied().fold(0, Ord::max));
        h = mix(h, s.iter().copied().reduce(std::cmp::Ord::min).unwrap_or(1));
        h = mix(h, s.iter().copied().fold(0, std::cmp::max));
        h = mix(h, s.iter().copied().reduce(std::cmp::min).unwrap_or(0));
        h = mix(h, s.iter().map(|v| *v as u8).map(Into::<u64>::into).fold(3, mix));
        let wide = s.iter().map(|v| *v as u16).map(Into::into).fold(5, mix);
        mix(mix(h, wide), s.iter().map(Clone::clone).fold(3, mix))
    }
    of_options {
        let held = [Some(x[i]), None, x[i + 1].checked_sub(4), Some(9)];
        let mut h = held.iter().all(Option::is_some) as u64;
        h = mix(h, held.iter().any(Option::is_none) as u64);
        h = mix(h, held.into_iter().map(Option::unwrap_or_default).fold(3, mix));
        h = mix(h, x[i..i + 8].iter().copied().map(Some).flatten().fold(3, mix));
        let results = [x[i].checked_sub(3).ok_or(4u8), Ok(3)];
        h = mix(h, results.into_iter().filter_map(Result::ok).fold(3, mix));
        mix(h, results.iter().position(Result::is_err).unwrap_or(5) as u64)
    }
    of_traits_by_methods_of_options {
        let small = x[i].checked_sub(3).map(|v| v as u32);
        let wide: Option<u64> = small.map(Into::into);
        let mut h = wide.map_or(3, std::convert::Into::into);
        h = mix(h, small.map_or(7, Into::<u64>::into));
        h = mix(h, wide.map(Pair::new).map(Pair::joined).unwrap_or(5));
        let tried: Result<u64, u8> = if x[i] % 2 == 0 { Ok(x[i]) } else { Err(x[i] as u8) };
        let widened: Result<u64, u64> = tried.map_err(Into::into);
        h = mix(h, match widened { Ok(v) | Err(v) => v });
        h = mix(h, x.get(i + 70).map(Clone::clone).unwrap_or(1));
        let doubled: [u64; 2] = [x[i] as u8, 9].map(Into::into);
        mix(h, doubled[0] ^ doubled[1] << 8)
    }
    of_ones_own {
        let s = &x[i..i + 8];
        let mut h = s.iter().copied().map(twice).filter(is_odd).count() as u64;
        h = mix(h, s.iter().copied().map(Pair::new).map(Pair::joined).fold(3, mix));
        h = mix(h, s.iter().copied().map(same).fold(3, mix));
        h = mix(h, s.iter().copied().map(same::<u64>).fold(3, mix));
        h = mix(h, s.iter().copied().filter_map(Pair::checked).fold(3, mix));
        h = mix(h, s.iter().copied().flat_map(Pair::checked).fold(3, mix));
        let o = s[0].checked_sub(3);
        h = mix(h, o.map(u64::count_ones).map_or(5, u64::from));
        mix(h, o.and_then(Pair::checked).unwrap_or(4))
    }
}

#[test]
fn functions_by_their_names_are_those_of_rust() {
    check::<paths::cases>();
}
