//! `min`, `max`, `clamp` and `cmp` of what has Rust's `Ord`, beside plain Rust.

use core::cmp::Ordering;

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, GpuType)]
#[repr(u8)]
enum Level {
    Low,
    Middle,
    High,
}

#[gpu_fn]
fn level(x: u64) -> Level {
    match x % 3 {
        0 => Level::Low,
        1 => Level::High,
        _ => Level::Middle,
    }
}

#[gpu_fn]
fn larger<T: Ord + Copy>(a: T, b: T) -> T {
    a.max(b)
}

#[gpu_fn]
fn between<T: Num + Ord>(a: T, b: T, c: T) -> T {
    a.clamp(b.min(c), b.max(c))
}

#[gpu_fn]
fn order<T>(a: &T, b: &T) -> u64
where
    T: Copy + Ord,
{
    match a.cmp(b) {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 3,
    }
}

plain! { ordered(i, x):
    references {
        let (a, b) = (&x[i], &x[i + 1]);
        let spread: u64 = x[i..i + 3].iter().zip(&x[i + 1..]).map(|(a, b)| a.max(b) - a.min(b)).fold(0, |s, d| s ^ d);
        *a.max(b) ^ a.min(b) << 1 ^ spread
    }
    references_to_what_is_equal {
        let pair = [(x[i] % 2, 1u64), (x[i] % 2, 1)];
        let (a, b) = (&pair[0], &pair[1]);
        a.max(b).0 ^ a.min(b).1 << 4
    }
    tuples {
        let mut best = (u64::MAX, 0usize);
        for k in 0..4 {
            best = best.min((x[i + k] % 7, k));
        }
        let last = (x[i] % 2, x[i + 1] as i8, true).max((x[i + 2] % 2, x[i + 3] as i8, false));
        best.0 ^ (best.1 as u64) << 8 ^ last.0 << 16 ^ (last.1 as u8 as u64) << 24 ^ (last.2 as u64) << 40
    }
    bools_and_arrays {
        let wide = [x[i] % 3, x[i + 1]].max([x[i + 1] % 3, x[i]]);
        wide[0] ^ wide[1] << 2 ^ ((x[i] > 9).max(x[i + 1] > 9) as u64) << 1 ^ (x[i] > 9).min(x[i + 1] > 9) as u64
    }
    enums {
        let (a, b) = (level(x[i]), level(x[i + 1]));
        a.max(b) as u64 ^ (a.min(b) as u64) << 2 ^ (a.clamp(Level::Low, Level::Middle) as u64) << 4
            ^ (a < b) as u64 ^ (a.cmp(&b).is_le() as u64) << 6 ^ order(&a, &b) << 8
    }
    parameters {
        let level = larger(level(x[i]), level(x[i + 1])) as u64;
        let pair = larger((x[i] % 2, x[i + 1]), (x[i + 2] % 2, x[i + 3]));
        let within = between(x[i], x[i + 1], x[i + 2]) ^ between(x[i] as i8, x[i + 1] as i8, x[i + 2] as i8) as u64;
        level ^ pair.0 << 2 ^ pair.1 << 3 ^ within.rotate_left(9) ^ larger(x[i] as u8, x[i + 1] as u8) as u64
    }
    orders {
        let (a, b) = ((x[i] % 2, x[i + 1]), (x[i + 2] % 2, x[i + 3]));
        order(&a, &b) ^ order(&x[i], &x[i + 1]) << 2 ^ order(&a, &a) << 4 ^ order(&[a.0, b.0], &[b.0, a.0]) << 6
    }
    functions_of_rust {
        let a = core::cmp::max((x[i] % 2, x[i + 1]), (x[i + 2] % 2, x[i + 3]));
        let b = core::cmp::min(level(x[i]), level(x[i + 1]));
        a.0 ^ a.1 << 1 ^ (b as u64) << 5
    }
}

#[test]
fn what_has_an_order_in_rust_has_its_methods() {
    check::<ordered::cases>();
}

/// Cards in the order of a game.
#[derive(Clone, Copy, Eq, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(u8)]
enum Card {
    Ten,
    Jack,
    Ace,
}

impl PartialOrd for Card {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Card {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let worth = |card: &Card| [10, 2, 11][*card as usize];
        worth(self).cmp(&worth(other))
    }
}

/// Numbers of one's own, in the order of which Rust derives one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, GpuType)]
#[repr(i8)]
enum Height {
    High = 5,
    Low = -3,
    Middle = 0,
}

#[gpu_kernel]
fn game(x: &[Card], y: &mut [u32], #[comptime] case: u32) {
    y[0] = match case {
        0 => (x[0] < x[1]) as u32,
        1 => x[0].max(x[1]) as u32,
        2 => x.iter().max_by_key(|card| **card).is_some() as u32,
        _ => (x[0] == x[1]) as u32,
    };
}

#[gpu_kernel]
fn levels(x: &[Height], y: &mut [i32]) {
    y[0] = (x[0] < x[1]) as i32 + 2 * (x[1] < x[2]) as i32 + 4 * (x[2] < x[0]) as i32;
    y[1] = x[0].max(x[1]).min(x[2]) as i32;
}

#[test]
fn an_order_that_is_not_derived_is_refused() {
    for case in 0..3 {
        let error = game::cuda_source_for(&(case,)).expect_err("it has an order of its own").to_string();
        assert!(error.contains("Card"), "{error}");
    }
    game::cuda_source_for(&(3,)).expect("equality is derived");
    super::everywhere::<levels>(&(), |device| {
        let x = device.upload(&[Height::High, Height::Low, Height::Middle]).expect("memory");
        let mut y = device.alloc_zeroed::<i32>(2).expect("memory");
        levels(&x, &mut y).grid(1).block(1).launch(device).expect("no fault");
        assert_eq!(device.download(&y).expect("memory"), [6, 0]);
    });
}
