//! Partial results that blocks exchange in words of 64 bits: one half of a word is data, the other says what the data is.

use warpsmith::prelude::*;

/// The most halves of a value: four of a value of 16 bytes, and two of the segment that it belongs to.
pub const MOST_HALVES: usize = 6;

/// A value of up to 16 bytes, divided into halves of words.
#[gpu_trait]
pub trait Word: GpuType {
    /// Number of halves, of four bytes each: 1 to 4.
    const HALVES: usize;

    /// Half number `k`.
    fn half(self, k: usize) -> u32;
    /// The value of all halves; those from [`HALVES`](Word::HALVES) on are ignored.
    fn of_halves(halves: [u32; MOST_HALVES]) -> Self;
}

macro_rules! words {
    ($($t:ident $halves:literal: |$x:ident| $bits:expr, |$all:ident| $value:expr;)+) => {$(
        #[gpu_impl]
        impl Word for $t {
            const HALVES: usize = $halves;

            fn half(self, k: usize) -> u32 {
                let $x = self;
                ((($bits) as u64) >> (32 * k)) as u32
            }
            fn of_halves(halves: [u32; MOST_HALVES]) -> Self {
                let $all = ((halves[1] as u64) << 32) | halves[0] as u64;
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
