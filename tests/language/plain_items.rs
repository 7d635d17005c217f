//! Functions and names of types inside of bodies, beside plain Rust.

#![allow(clippy::items_after_statements, reason = "where an item stands in a block is what is tested")]

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

/// A name that a body has too.
#[gpu_fn]
#[allow(dead_code, reason = "the body's own is called")]
fn mixed(a: u64) -> u64 {
    a ^ 1
}

plain! { inner(i, x):
    functions_behind_their_uses {
        let h = mixed(x[i], 3);
        fn mixed(a: u64, n: u32) -> u64 {
            a.rotate_left(n) ^ a >> 3
        }
        mixed(h, 7)
    }
    constants_and_types {
        type Word = u64;
        type Pair = (Word, [u32; 2]);
        const fn square(v: u64) -> u64 {
            v * v
        }
        const NINE: Word = square(3);
        let pair: Pair = (x[i], [i as u32, 4]);
        let word: Word = square(pair.1[0] as Word);
        pair.0 ^ word ^ NINE << pair.1[1]
    }
    functions_that_change_and_walk {
        fn twice(v: &mut u64) {
            *v = v.wrapping_mul(2);
        }
        fn found(of: u64, f: impl Fn(u64) -> bool) -> Option<u64> {
            (0..9).find(|&k| f(of ^ k))
        }
        fn chosen<T: Copy + GpuType>(values: [T; 3], at: usize) -> T {
            values[at % 3]
        }
        let mut h = x[i];
        twice(&mut h);
        h ^ found(h, |v| v % 5 == 2).unwrap_or(77) ^ chosen([x[i + 1], 3, x[i + 2]], i) << 5
    }
    functions_of_one_name {
        let a = { fn f(v: u64) -> u64 { v ^ 1 } f(x[i]) } ^ { fn f(v: u64) -> u64 { v >> 2 } f(x[i]) };
        let b = { fn f(v: u64) -> u64 { fn g(v: u64) -> u64 { v ^ 5 } g(v) } f(a) } ^ { fn f(v: u64) -> u64 { fn g(v: u64) -> u64 { v << 9 } g(v) } f(a) };
        a ^ b << 1
    }
}

#[test]
fn items_inside_of_bodies_are_rusts() {
    check::<inner::cases>();
}

/// A function with slices, and one that a method has inside.
#[gpu_kernel]
fn sums(x: &[u32], out: &mut [u32]) {
    fn total(x: &[u32]) -> u32 {
        x.iter().sum()
    }
    fn store(out: &mut [u32], at: usize, value: u32) {
        out[at] = value;
    }
    let i = global_id();
    store(out, i, total(&x[i..]) + Tripled::of(x[i]).0);
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Tripled(u32);

#[gpu_impl]
impl Tripled {
    fn of(v: u32) -> Self {
        type Number = u32;
        fn tripled(v: Number) -> Number {
            v * 3
        }
        Tripled(tripled(v))
    }
}

#[test]
fn a_function_in_a_kernel_takes_slices() {
    everywhere::<sums>(&(), |device| {
        let x = device.upload(&[1, 2, 3, 4u32]).expect("memory");
        let mut out = device.alloc_zeroed::<u32>(4).expect("memory");
        sums(&x, &mut out).grid(1).block(4).launch(device).expect("no fault");
        assert_eq!(device.download(&out).expect("memory"), [13, 15, 16, 16], "on {}", device.name());
    });
}

/// A function inside is a line of its own in a fault.
#[gpu_kernel]
fn fails_inside(x: &[u32], out: &mut [u32]) {
    fn element(x: &[u32], i: u32) -> u32 {
        x[i]
    }
    out[0] = element(x, out[0]);
}

#[test]
fn a_fault_in_an_inner_function_has_its_line() {
    everywhere::<fails_inside>(&(), |device| {
        let x = device.upload(&[1, 2u32]).expect("memory");
        let mut out = device.upload(&[9u32]).expect("memory");
        let launched = fails_inside(&x, &mut out).grid(1).block(1).launch(device);
        let error = launched.and_then(|()| device.synchronize()).expect_err("out of bounds");
        assert!(error.to_string().contains(&format!("{}:{}", file!(), LINE)), "{error}");
    });
}

/// The line of the access in [`fails_inside`].
const LINE: u32 = 104;
