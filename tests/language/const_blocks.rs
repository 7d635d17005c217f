//! `const { … }`, whose type is the one that rustc infers where it stands.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn more<const N: usize>(x: u8) -> u8 {
    x + const { N as u8 * 2 }
}

#[gpu_fn]
const fn two() -> u64 {
    2
}

#[gpu_kernel]
fn blocks(x: &[i32], out: &mut [i32]) {
    let byte: u8 = const { 4 + 4 };
    let float: f32 = const { 1.5 };
    let list = const { [1u16, 2, 3] };
    let repeated = [const { 7 }; 3];
    let shifted = 1u64 << const { 40 - two() };
    let pair = (const { 300i64 }, const { -5 } + x[1]);
    out[0] = byte as i32 + x[0] + const { 1 << 20 };
    out[1] = (float * 4.0) as i32;
    out[2] = list[x[0] as usize] as i32 + repeated[1];
    out[3] = (shifted >> 30) as i32;
    out[4] = more::<3>(4) as i32 + more::<5>(1) as i32 * 100;
    for i in 0..const { 3 } {
        out[5] += i;
    }
    out[6] = x.iter().map(|v| *v * const { 10 }).sum();
    out[7] = pair.0 as i32 + pair.1 + (byte == const { u8::MAX - 247 }) as i32;
}

#[test]
fn a_const_block_has_the_type_that_is_expected_of_it() {
    everywhere::<blocks>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3]).expect("memory");
        let out = written(gpu, (8, 0), |out| blocks(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [(1 << 20) + 9, 6, 9, 256, 10 + 1100, 3, 60, 298]);
    });
}
