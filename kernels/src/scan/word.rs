//! Partial results that blocks hand on in words of 64 bits: half of each word says what the other half is.

use warpsmith::prelude::*;

/// A value of up to eight bytes, as one or two halves of words.
#[gpu_trait]
pub trait Word: GpuType {
    /// How many halves: 1 up to four bytes, 2 up to eight.
    const HALVES: usize;

    /// The first four bytes.
    fn low(self) -> u32;
    /// The other four, or zero.
    fn high(self) -> u32;
    /// The value of both.
    fn of_halves(low: u32, high: u32) -> Self;
}

macro_rules! words {
    ($($t:ident $halves:literal: |$x:ident| $bits:expr, |$all:ident| $value:expr;)+) => {$(
        #[gpu_impl]
        impl Word for $t {
            const HALVES: usize = $halves;

            fn low(self) -> u32 {
                let $x = self;
                ($bits) as u32
            }
            fn high(self) -> u32 {
                let $x = self;
                ((($bits) as u64) >> 32) as u32
            }
            fn of_halves(low: u32, high: u32) -> Self {
                let $all = ((high as u64) << 32) | low as u64;
                $value
            }
        }
    )+};
}

words! {
    i8 1: |x| x as u8, |all| all as i8;
    u8 1: |x| x, |all| all as u8;
    i16 1: |x| x as u16, |all| all as i16;
    u16 1: |x| x, |all| all as u16;
    i32 1: |x| x as u32, |all| all as i32;
    u32 1: |x| x, |all| all as u32;
    f16 1: |x| x.to_bits(), |all| f16::from_bits(all as u16);
    bf16 1: |x| x.to_bits(), |all| bf16::from_bits(all as u16);
    f32 1: |x| x.to_bits(), |all| f32::from_bits(all as u32);
    i64 2: |x| x as u64, |all| all as i64;
    u64 2: |x| x, |all| all;
    f64 2: |x| x.to_bits(), |all| f64::from_bits(all);
    bool 1: |x| x as u32, |all| all != 0;
}
