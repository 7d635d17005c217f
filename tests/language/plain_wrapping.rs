//! `std::num::Wrapping`, beside plain Rust.

use std::num::Wrapping;

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

const SEED: Wrapping<u32> = Wrapping(0x9e37_79b9);

#[gpu_fn]
fn next(state: &mut Wrapping<u32>) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    (*state * SEED).0
}

plain! { wrapping(i, x):
    sums_and_products {
        let (a, b) = (Wrapping(x[i]), Wrapping(x[i + 1]));
        let mut h = a + b * Wrapping(31) - (a ^ b | Wrapping(1) & b);
        h += a;
        h -= Wrapping(7);
        h *= b + Wrapping(3);
        h ^= !a;
        h |= Wrapping(4);
        h &= -b;
        h += 9;
        h *= 5;
        h -= x[i + 2];
        h.0
    }
    narrow_and_signed {
        let (a, b) = (Wrapping(x[i] as i8), Wrapping(x[i + 1] as i8 | 1));
        let (c, d) = (Wrapping(x[i] as i16), Wrapping(x[i + 1] as i16));
        let (e, f) = (Wrapping(x[i] as u8), Wrapping(x[i + 1] as u8));
        let small = (a * b + a / b - a % b) ^ -a;
        let short = (c * d - d * c * d) >> 3;
        (small.0 as u64) ^ (short.0 as u64) << 1 ^ ((e * f + e).0 as u64) << 2 ^ ((e - f) << 3).0 as u64
            ^ (Wrapping(i32::MIN) / Wrapping(-(x[i] as i32 & 1) | 2)).0 as u64 ^ (Wrapping(i64::MIN) / Wrapping(-1)).0 as u64
    }
    shifts {
        let (a, n) = (Wrapping(x[i] as u32), x[i + 1] as usize);
        let mut b = Wrapping(x[i] as i64);
        b >>= n;
        b <<= 7;
        ((a << n) ^ (a >> n)).0 as u64 ^ b.0 as u64
    }
    comparisons {
        let (a, b) = (Wrapping(x[i] as i16), Wrapping(x[i + 1] as i16));
        (a < b) as u64 | ((a >= b) as u64) << 1 | ((a == b) as u64) << 2 | ((a != Wrapping(3)) as u64) << 3
            | (a.max(b).0 as u16 as u64) << 4 | (a.cmp(&b) as i8 as u8 as u64) << 24 | (a.min(b).0 as u16 as u64) << 32
    }
    numbers_of_the_other_sign {
        let (a, b) = (x[i], x[i + 1] as i32);
        a.wrapping_add_signed(-3) ^ (a as u32).wrapping_add_signed(-7) as u64 ^ (a as u16).wrapping_add_signed(-1) as u64
            ^ (a as u32).wrapping_add_signed(b) as u64 ^ (b.wrapping_add_unsigned(4_000_000_000) as u64) << 1
            ^ (b.wrapping_sub_unsigned(7) as u64) << 2
    }
    states {
        let mut state = Wrapping(x[i] as u32 | 1);
        let mut all = [Wrapping(0u32); 4];
        for v in all.iter_mut() {
            *v = Wrapping(next(&mut state)) + SEED;
        }
        let sum = all.iter().fold(Wrapping(0u32), |a, b| a * Wrapping(31) + *b);
        sum.0 as u64 ^ (all[3].0 as u64) << 32
    }
}

#[test]
fn wrapping_numbers_are_rusts() {
    check::<wrapping::cases>();
}

#[gpu_kernel]
fn mixed(x: &[Wrapping<u32>], by: Wrapping<u32>, out: &mut [Wrapping<u32>]) {
    let i = global_id();
    if i < out.len() {
        out[i] += x[i] * by;
    }
}

#[test]
fn wrapping_numbers_in_memory() {
    everywhere::<mixed>(&(), |device| {
        let values: Vec<_> = (0..8u32).map(|k| Wrapping(k) * Wrapping(0x3fff_ffff)).collect();
        let x = device.upload(&values).expect("memory");
        let out = super::written(device, (8, Wrapping(9)), |out| mixed(&x, SEED, out).over(8).launch(device));
        let want: Vec<_> = values.iter().map(|v| Wrapping(9) + *v * SEED).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}
