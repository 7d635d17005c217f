//! Functions of Rust's library by the path of an imported module, conversions that may fail, ranges that are values, and the
//! ends of slices, beside plain Rust.

#![allow(clippy::unnecessary_fallible_conversions, reason = "what cannot fail is converted too")]

use std::ops::Range;
use std::{array, cmp, mem};

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

plain! { library(i, x):
    functions_of_imported_modules {
        let made: [u64; 4] = array::from_fn(|k| x[i + k] ^ k as u64);
        let written = array::from_fn::<_, 3, _>(|k| x[k] as u8);
        let (mut a, mut b) = (made[0], made[3]);
        mem::swap(&mut a, &mut b);
        let before = mem::replace(&mut a, 7) ^ mem::take(&mut b);
        before ^ a ^ b ^ cmp::max(made[1], written[2] as u64) ^ cmp::min(made[2], 9) ^ mem::size_of::<u64>() as u64
    }
    functions_imported_in_the_body {
        use std::array::from_fn;
        use std::cmp::max;
        let made: [u64; 3] = from_fn(|k| x[i + k]);
        let pairs = from_fn::<_, 2, _>(|k| (x[k], k));
        max(made[0], made[2]) ^ pairs[1].0 ^ pairs[1].1 as u64
    }
    numbers_that_fit {
        let word = x[i];
        let byte = u8::try_from(word).unwrap_or(200);
        let short: i16 = (word as i32).try_into().unwrap_or(-3);
        let int = i32::try_from(word).unwrap_or_default();
        let wide = i64::try_from(word).ok().map_or(5, |v| v / 3);
        let index: usize = (word as u16).try_into().unwrap();
        let all = u64::try_from(word as u8).unwrap() ^ halved_or_eleven(word);
        byte as u64 ^ (short as u64) << 3 ^ (int as u64) << 7 ^ wide as u64 ^ index as u64 ^ all
    }
    numbers_of_other_signs {
        let word = x[i] as i64;
        let mut h = u64::try_from(word).is_ok() as u64;
        h = h << 1 | u32::try_from(word).is_err() as u64;
        h = h << 1 | u8::try_from(word as i8).is_ok() as u64;
        h = h << 1 | i8::try_from(word as u8).is_ok() as u64;
        h = h << 1 | isize::try_from(x[i] as usize).is_ok() as u64;
        h = h << 1 | usize::try_from(word as isize).is_ok() as u64;
        h = h << 1 | i64::try_from(word as i32).is_ok() as u64;
        h << 1 | (u16::try_from(word) == Ok(9)) as u64
    }
    results_of_conversions_matched {
        let mut h = match u16::try_from(x[i]) {
            Ok(v) if v > 9 => v as u64,
            Ok(v) => v as u64 + 1,
            Err(_) => 77,
        };
        if let Ok(k) = usize::try_from(i as i32 - 3) {
            h ^= x[k];
        }
        let Ok(small) = i8::try_from(x[i + 1]) else {
            return h;
        };
        let tried: Result<u32, _> = i32::from(small).try_into();
        h ^ tried.map_or(3, u64::from) << 8
    }
    own_conversions {
        let even: Result<Even, u64> = x[i].try_into();
        let half = even.map_or_else(|odd| odd ^ 3, |even| even.0);
        let next = match Even::try_from(x[i + 1]) {
            Ok(Even(half)) => half,
            Err(odd) => odd >> 1,
        };
        half ^ next << 1 ^ fits::<Even>(x[i + 2]) as u64 ^ (fits::<u16>(x[i]) as u64) << 9
    }
    ranges_that_are_values {
        let all = 2..7;
        let part = &x[all.clone()];
        let mut h = part[0] ^ all.len() as u64 ^ part.len() as u64;
        for k in all.clone() {
            h = h.rotate_left(3) ^ x[k];
        }
        h ^= x[all][3] << 5;
        let own: Range<usize> = i..i + 3;
        h ^= x[own.clone()].iter().fold(0, |h: u64, v| h.rotate_left(9) ^ v);
        let mut copies = [1u64, 2, 3, 4, 5];
        let some = 1..=3;
        copies[some.clone()].fill(h);
        let filled = &mut copies[some];
        filled[1] ^= 9;
        let two = 1..3;
        let same = copies[two.clone()] == copies[2..4] || copies[two] != x[..2];
        h ^ copies[2] << 1 ^ same as u64 ^ x[own][1] << 7
    }
    slices_as_arrays {
        let four: [u64; 4] = x[i..i + 4].try_into().unwrap();
        let [a, b] = <[u64; 2]>::try_from(&x[3..5]).unwrap();
        let wrong: Result<[u64; 3], _> = x[i..i + 2 + i % 2].try_into();
        let third = wrong.map_or(1, |three| three[2]);
        four[0] ^ four[3] << 1 ^ a << 2 ^ b << 3 ^ third << 4
    }
}

plain! { parts(i, x):
    ranges_in_parameters_and_patterns {
        let ends_of = |range: Range<usize>| {
            let part = &x[range];
            part[0] ^ part[part.len() - 1] << 1
        };
        let (some, own) = (1..=3, i..i + 2);
        let copies = [1u64, 2, 3, 4, 5];
        copies[some][2] ^ ends_of(own.clone()) ^ ends_of(own) << 5
    }
    ends_that_are_written {
        let mut copies = [x[i], x[i + 1], x[i + 2], x[i + 3]];
        if let Some(first) = copies.first_mut() {
            *first ^= 3;
        }
        *copies.last_mut().unwrap() = 8;
        if let Some((first, rest)) = copies.split_first_mut() {
            rest[0] ^= *first;
            *first = 11;
            if let Some((last, between)) = rest.split_last_mut() {
                *last ^= between[1];
                between[0] = between[0].rotate_left(3);
            }
        }
        let sorted = x[i..i + 3].is_sorted() as u64 + 2 * copies.is_sorted() as u64;
        let mut nothing = x[i..i].is_sorted() as u64;
        if copies[..0].first_mut().is_none() {
            nothing += 4;
        }
        let h = copies.iter().fold(sorted, |h, v| h.rotate_left(7) ^ v);
        h ^ nothing << 20 ^ [1.0, f32::NAN, 2.0].is_sorted() as u64 ^ [f32::NAN].is_sorted() as u64
    }
}

/// A number whose conversions have an error of their own.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Even(u64);

#[gpu_impl]
impl TryFrom<u64> for Even {
    type Error = u64;

    fn try_from(word: u64) -> Result<Self, Self::Error> {
        if word % 2 == 0 { Ok(Even(word / 2)) } else { Err(word) }
    }
}

/// Whether a number is one of a type.
#[gpu_fn]
fn fits<T: TryFrom<u64> + GpuType>(word: u64) -> bool {
    T::try_from(word).is_ok()
}

/// A conversion in a function of the user's own, with `?`.
#[gpu_fn]
fn halved(word: u64) -> Option<u8> {
    let short = u16::try_from(word).ok()?;
    u8::try_from(short / 2).ok()
}

/// What [`halved`] gives, or another number.
#[gpu_fn]
fn halved_or_eleven(word: u64) -> u64 {
    halved(word).map_or(11, |v| v as u64)
}

#[test]
fn imported_functions_and_conversions_are_rusts() {
    check::<library::cases>();
}

#[test]
fn parts_by_ranges_and_ends_of_slices_are_rusts() {
    check::<parts::cases>();
}

#[test]
fn indices_of_conversions_and_parts_by_ranges_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * library::cases::NAMES.len()).expect("memory");
    let explained = library::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

mod own {
    use super::*;

    /// Modules of the user's own that are named as some of Rust's library.
    mod mem {
        use super::*;

        #[gpu_fn]
        pub fn swap(a: &mut u32, b: &mut u32) {
            *a += *b;
        }
    }

    mod array {
        use super::*;

        #[gpu_fn]
        pub fn from_fn(f: impl Fn(usize) -> u32) -> [u32; 2] {
            [f(5), f(6)]
        }
    }

    #[gpu_kernel]
    pub fn calls_own(out: &mut [u32]) {
        let (mut a, mut b) = (1, 20);
        mem::swap(&mut a, &mut b);
        let [c, d] = array::from_fn(|k| k as u32 * 10);
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
    }
}

#[test]
fn functions_of_own_modules_are_called() {
    everywhere::<own::calls_own>(&(), |device| {
        let mut out = device.upload(&[0u32; 4]).expect("memory");
        own::calls_own(&mut out).grid(1).block(1).launch(device).expect("no fault");
        assert_eq!(device.download(&out).expect("memory"), [21, 20, 50, 60], "on {}", device.name());
    });
}

mod without_a_device_side {
    use super::*;

    mod array {
        pub fn from_fn<const N: usize>(f: impl Fn(usize) -> u32) -> [u32; N] {
            [f(1); N]
        }
    }

    #[gpu_kernel]
    pub fn calls_the_hosts(out: &mut [u32]) {
        let made: [u32; 2] = array::from_fn(|k| k as u32);
        out[0] = made[0];
    }
}

#[test]
fn a_function_of_an_own_module_is_not_taken_for_rusts() {
    let device = Device::simulator();
    let mut out = device.upload(&[0u32; 1]).expect("memory");
    let launch = without_a_device_side::calls_the_hosts(&mut out).grid(1).block(1).launch(&device);
    let error = launch.expect_err("the function is not Rust's").to_string();
    assert!(error.contains("array::from_fn`; write `#[gpu_fn]` above it"), "{error}");
}

/// A conversion that fails, in a kernel that unwraps it.
#[gpu_kernel]
fn unwraps(x: &[i32], out: &mut [u8]) {
    let i = global_id();
    out[i] = u8::try_from(x[i]).unwrap();
}

#[test]
fn a_conversion_that_fails_is_a_fault_where_it_is_unwrapped() {
    everywhere::<unwraps>(&(), |device| {
        let x = device.upload(&[3, 256]).expect("memory");
        let mut out = device.upload(&[0u8; 2]).expect("memory");
        let launched = unwraps(&x, &mut out).grid(1).block(2).launch(device);
        let error = launched.and_then(|()| device.synchronize()).expect_err("256 is no byte").to_string();
        assert!(error.contains("called `Result::unwrap()` on an `Err` value"), "{error}");
    });
}
