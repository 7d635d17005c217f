//! Names that spelling does not tell apart: variants in capitals and small letters, constants of enums and
//! structs, what is imported.

use core::cmp::{max, min};
use core::mem::{replace, swap, take};

use warpsmith::prelude::*;

use super::{everywhere, written};

#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
enum Op {
    A,
    B,
    RED,
    one,
    Scale(u32),
    ADD { by: u32 },
}

/// The names of two variants, as constants that are others.
mod constants {
    use super::Op;
    pub const A: Op = Op::B;
    pub const RED: Op = Op::Scale(4);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
struct Span {
    from: u32,
    to: [i16; 2],
}

#[gpu_impl]
impl Span {
    const MAX: Span = Span { from: 9, to: [1, -1] };
    const LIMIT: u32 = 40;
    const PAIR: (u32, bool) = (3, true);
}

impl Op {
    const DEFAULT: Op = Op::ADD { by: 7 };
}

#[gpu_fn]
fn made(code: u32) -> Op {
    match code % 8 {
        0 => Op::A,
        1 => Op::B,
        2 => Op::RED,
        3 => Op::one,
        4 => constants::A,
        5 => constants::RED,
        6 => Op::DEFAULT,
        _ => Op::ADD { by: code },
    }
}

#[gpu_fn]
fn by_path(op: Op) -> u32 {
    match op {
        Op::A => 1,
        Op::RED => 2,
        Op::one => 3,
        constants::A => 4,
        constants::RED => 5,
        Op::DEFAULT => 6,
        Op::Scale(by) => 7 + by,
        Op::ADD { by } => 8 + by,
    }
}

#[gpu_fn]
fn by_import(op: &Op) -> u32 {
    use Op::*;
    match op {
        A | B => 1,
        RED => 2,
        Scale(by) if *by < 3 => *by,
        Op::one => 3,
        ADD { by } => by * 10,
        Scale(_) => 4,
    }
}

#[gpu_fn]
fn constants_of_a_type(code: u32) -> u32 {
    let span = Span { from: code, to: [(code % 2) as i16, -1] };
    let first = match span {
        Span::MAX => 1,
        Span { from: Span::LIMIT, .. } => 2,
        _ => 3,
    };
    let second = match (code % 5, code > 8) {
        Span::PAIR => 10,
        (u32::MIN, true) => 20,
        (1..=Span::LIMIT, _) => 30,
        _ => 40,
    };
    first + second
}

#[gpu_fn]
fn by_std_names(code: u32) -> u32 {
    let (mut a, mut b) = (code, [code + 1, 5]);
    swap(&mut a, &mut b[0]);
    let before = replace(&mut b[1], a);
    let taken = take(&mut a);
    let mut pair = ((1, code), (2, code + 3));
    swap(&mut pair.0, &mut pair.1);
    let mut i = 1;
    // The index is read before it is exchanged.
    swap(&mut b[i], &mut i_of(&mut i));
    let least = min(code, 7) + max(3, code) + std::cmp::min::<u32>(code, 2);
    a + b[0] * 3 + b[1] * 5 + before * 7 + taken * 11 + pair.0.1 * 13 + pair.1.0 + least + i as u32
}

#[gpu_fn]
fn i_of(i: &mut usize) -> u32 {
    *i = 0;
    6
}

#[gpu_kernel]
fn named(out: &mut [u32]) {
    let t = thread_idx().x;
    let op = made(t);
    out[t] = by_path(op) + by_import(&op) * 1000 + constants_of_a_type(t) * 100_000;
    out[t + 64] = by_std_names(t);
}

#[test]
fn variants_and_constants_are_told_apart_by_what_they_are() {
    everywhere::<named>(&(), |device| {
        let out = written(device, (128, 0), |out| named(out).grid(1).block(64).launch(device));
        let of = |t: u32| by_path(made(t)) + by_import(&made(t)) * 1000 + constants_of_a_type(t) * 100_000;
        let want: Vec<u32> = (0..64).map(of).chain((0..64).map(by_std_names)).collect();
        assert_eq!(out, want);
    });
}

/// Functions that are named as crates.
mod named_as_crates {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn libm(x: u32) -> u32 {
        x + 1
    }

    #[gpu_fn]
    pub fn reuse(x: u32) -> u32 {
        libm(x) * 2
    }

    #[gpu_kernel]
    pub fn calls(out: &mut [u32]) {
        out[0] = libm(1);
        out[1] = reuse(2);
    }
}

#[test]
fn a_function_may_be_named_as_a_crate() {
    everywhere::<named_as_crates::calls>(&(), |device| {
        let out = written(device, (2, 0), |out| named_as_crates::calls(out).grid(1).block(1).launch(device));
        assert_eq!(out, [2, 6], "on {}", device.name());
    });
}

/// Names that are keywords, here or in CUDA.
mod keywords {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn r#gen(r#try: u32) -> u32 {
        r#try + 1
    }

    #[gpu_kernel]
    pub fn raw(out: &mut [u32]) {
        let r#yield = r#gen(1);
        println!("{yield}");
        out[0] = r#yield;
        out[1] = self::r#gen(2);
    }
}

#[test]
fn a_name_may_be_a_keyword() {
    everywhere::<keywords::raw>(&(), |device| {
        let out = written(device, (2, 0), |out| keywords::raw(out).grid(1).block(1).launch(device));
        assert_eq!(out, [2, 3], "on {}", device.name());
    });
}
