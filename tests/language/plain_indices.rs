//! Integers whose types are determined by nothing but an index, beside plain Rust.
//!
//! `!k / 3` tells a `usize` from an `i32`: for a small `k` it is huge, or else about zero.

// Not every case asks which thread it is in.
#![allow(unused_variables)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A number and something else.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Marked<T> {
    mark: T,
    at: u8,
}

#[gpu_fn]
fn same<T: GpuType>(v: T) -> T {
    v
}

plain! { indices(i, x):
    constants {
        let k = 5;
        x[k] ^ (!k / 3) as u64 ^ i as u64
    }
    counters {
        let mut k = 0;
        let mut h = 0u64;
        while k < 6 {
            h = h.rotate_left(3) ^ x[k];
            k += 1;
        }
        h ^ (!k / 7) as u64
    }
    counters_without_an_end {
        let mut k = 0;
        let h = loop {
            if x[k] % 3 == 0 || k == 9 {
                break (!k / 3) as u64;
            }
            k += 1;
        };
        h ^ i as u64
    }
    through_others {
        let first = 3;
        let next = first * 2 + 1;
        x[next] ^ (!first / 5) as u64
    }
    large_products {
        let k = 60;
        x[k] ^ (k * 100_000 * 100_000) as u64
    }
    for_loops {
        let mut h = 0u64;
        for k in 0..5 {
            h = h.wrapping_mul(3) ^ x[k + 1] ^ (!k / 3) as u64;
        }
        h
    }
    for_loops_that_only_index {
        let mut h = 0u64;
        for k in 0..5 {
            h = h.wrapping_mul(3) ^ x[(k + 70 - 1) / 2];
        }
        h
    }
    for_loops_to_a_variable {
        let end = 7;
        let mut h = x[end];
        for k in 1..end {
            h = h.wrapping_mul(3) ^ (!k / 3) as u64;
        }
        h
    }
    loops_backwards_by_steps {
        let mut h = 0u64;
        for k in (0..9).rev().step_by(2) {
            h = h.wrapping_mul(3) ^ x[k] ^ (!k / 3) as u64;
        }
        h
    }
    tuples {
        let (a, b) = (1, 2);
        x[a + b] ^ (!a / 3) as u64 ^ (!b / 5) as u64
    }
    arrays_of_indices {
        let at = [4, 2, 0];
        x[at[1]] ^ (!at[0] / 3) as u64
    }
    arrays_of_arrays {
        let m = [[x[i], 2], [3, x[i + 1]]];
        let r = 1;
        m[r][0] ^ m[0][r] ^ (!r / 3) as u64
    }
    structs {
        let p = Marked { mark: 3, at: 4 };
        x[p.mark] ^ x[p.at as usize] ^ (!p.mark / 3) as u64
    }
    generic_calls {
        let k = same(3);
        x[k] ^ (!k / 3) as u64
    }
    bounds_of_parts {
        let (a, b) = (2, 7);
        let mut h = (!a / 3) as u64 ^ (!b / 5) as u64;
        for v in &x[a..b] {
            h = h.rotate_left(7) ^ v;
        }
        h
    }
    inclusive_bounds_and_one_bound {
        let (a, b, c) = (2, 7, 3);
        let mut h = (!a / 3) as u64 ^ (!b / 5) as u64 ^ (!c / 7) as u64;
        for v in &x[a..=b] {
            h = h.rotate_left(7) ^ v;
        }
        h ^ x[..c].len() as u64
    }
    bounds_of_written_parts {
        let mut own = [x[i]; 9];
        let a = 3;
        own[a..].fill(5);
        own[2] ^ own[8] ^ (!a / 3) as u64
    }
    optional_elements {
        let (inside, outside) = (3, 90);
        let h = x.get(inside).copied().unwrap_or(1) ^ x.get(outside).copied().unwrap_or(7);
        h ^ (!inside / 3) as u64 ^ (!outside / 5) as u64
    }
    swapped_elements {
        let mut own = [x[i], x[i + 1], 3];
        let (a, b) = (0, 2);
        own.swap(a, b);
        own[0] ^ (own[2] >> 3) ^ (!a / 3) as u64 ^ (!b / 5) as u64
    }
    split_parts {
        let middle = 9;
        let (left, right) = x.split_at(middle);
        left[8] ^ right[0] ^ (!middle / 3) as u64
    }
    chunks {
        let n = 9;
        let mut h = (!n / 3) as u64;
        for part in x.chunks(n) {
            h = h.rotate_left(7) ^ part[0];
        }
        h
    }
    closures {
        let at = |k| x[k];
        at(3) ^ at(i).rotate_left(1)
    }
    closures_of_literals {
        let at = |k| x[k];
        let k = 3;
        at(k) ^ at(4).rotate_left(1) ^ (!k / 3) as u64
    }
    captured_indices {
        let k = 4;
        let at = || x[k];
        let moved = move || x[k + 1];
        at() ^ moved() ^ (!k / 3) as u64
    }
    the_place_of_the_least {
        let mut best = 0;
        for k in 1..9 {
            if x[k] < x[best] {
                best = k;
            }
        }
        x[best] ^ (!best / 3) as u64
    }
    branches {
        let k = if i % 2 == 0 { 1 } else { 2 };
        let l = match i % 3 {
            0 => 4,
            1 => 5,
            _ => 6,
        };
        x[k] ^ x[l] ^ (!k / 3) as u64 ^ (!l / 5) as u64
    }
    options {
        let at = if i % 2 == 0 { Some(3) } else { None };
        match at {
            Some(k) => x[k] ^ (!k / 3) as u64,
            None => 1,
        }
    }
    written_elements {
        let mut own = [0u64; 4];
        let mut n = 0;
        while n < 3 {
            own[n] = x[i + n];
            n += 1;
            own[n] ^= 1;
        }
        own[0] ^ own[3] ^ (!n / 3) as u64
    }
    stacks {
        let mut stack = [0u64; 8];
        let mut top = 0;
        for v in &x[i..i + 4] {
            stack[top] = *v;
            top += 1;
        }
        let mut h = (!top / 3) as u64;
        while top > 0 {
            top -= 1;
            h = h.rotate_left(9) ^ stack[top];
        }
        h
    }
    other_integers_are_i32 {
        let (k, l) = (3, 4);
        x[k as usize] ^ (!k / 3) as u64 ^ (!l / 3) as u64 ^ i as u64
    }
    other_clues_come_first {
        let mut k = 0;
        let h = x[k];
        k += i;
        h ^ x[k] ^ (!k / 3) as u64
    }
}

#[test]
fn integers_that_index_have_the_types_of_plain_rust() {
    check::<indices::cases>();
}

#[gpu_kernel]
fn narrow_counters(x: &[u32], n: u32, out: &mut [u32]) {
    let mut best = 0;
    for k in 1..n {
        if x[k] > x[best] {
            best = k;
        }
    }
    out[0] = best;
    out[1] = !best / 3;
}

/// Any integer type can be an index, so a type that the rest of the body determines is kept.
#[test]
fn a_type_that_something_else_determines_is_kept() {
    super::everywhere::<narrow_counters>(&(), |device| {
        let x = device.upload(&[3u32, 9, 4]).expect("memory");
        let got = super::written(device, (2, 7u32), |out| {
            narrow_counters(&x, 3, out).grid(1).block(1).launch(device)
        });
        assert_eq!(got, [1, !1 / 3]);
    });
}
