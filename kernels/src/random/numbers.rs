//! Random words, and numbers made of them, in kernels and on the host.

use warpsmith::prelude::*;

/// Four random words for a counter and a key: Philox 4x32 with ten rounds.
///
/// ```
/// use warpsmith_kernels::random::philox;
///
/// assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
/// ```
#[gpu_fn]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k, mut l] = key;
    #[unroll]
    for _ in 0..10 {
        let (even, odd) = (a as u64 * 0xd251_1f53, c as u64 * 0xcd9e_8d57);
        (a, b, c, d) = ((odd >> 32) as u32 ^ b ^ k, odd as u32, (even >> 32) as u32 ^ d ^ l, even as u32);
        k = k.wrapping_add(0x9e37_79b9);
        l = l.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// The four random words number `index` of a seed.
#[gpu_fn]
pub fn words(seed: u64, index: u64) -> [u32; 4] {
    philox([index as u32, (index >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32])
}

/// The number in `[0, 1)` of a word: a multiple of 2^-24.
#[gpu_fn]
pub fn uniform(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Two independent numbers of two words, normally distributed around 0 with variance 1 (G. Box and M. Muller, 1958). Their magnitude is
/// at most 5.77.
#[gpu_fn]
pub fn normal(first: u32, second: u32) -> [f32; 2] {
    // In `(0, 1]`, whose logarithm is finite.
    let radius = (-2.0 * logarithm(((first >> 8) + 1) as f32 * (1.0 / 16_777_216.0))).sqrt();
    let [sine, cosine] = sine_and_cosine(uniform(second));
    [radius * cosine, radius * sine]
}

/// The natural logarithm of a normal number, to 2^-22 of it.
///
/// Sums of products are fused in the source, so no compiler has a choice of its own.
#[gpu_fn]
fn logarithm(x: f32) -> f32 {
    // x = 2^exponent * fraction, with the fraction between the roots of 1/2 and 2.
    let bits = x.to_bits();
    let shifted = bits.wrapping_sub(0x3f35_04f3);
    let exponent = (shifted as i32 >> 23) as f32;
    let fraction = f32::from_bits((shifted & 0x007f_ffff) + 0x3f35_04f3);
    let s = (fraction - 1.0) / (fraction + 1.0);
    let z = s * s;
    let mut series = z.mul_add(1.0 / 9.0, 1.0 / 7.0);
    series = z.mul_add(series, 1.0 / 5.0);
    series = z.mul_add(series, 1.0 / 3.0);
    series = z.mul_add(series, 1.0);
    exponent.mul_add(core::f32::consts::LN_2, 2.0 * s * series)
}

/// The sine and the cosine of `turns` whole turns, of `[0, 1)`, to 2^-22.
#[gpu_fn]
fn sine_and_cosine(turns: f32) -> [f32; 2] {
    // A quarter turn, and an eighth at most beside it.
    let quarter = turns.mul_add(4.0, 0.5).floor();
    let x = quarter.mul_add(-0.25, turns) * core::f32::consts::TAU;
    let z = x * x;
    let mut sine = z.mul_add(1.0 / 362_880.0, -1.0 / 5040.0);
    sine = z.mul_add(sine, 1.0 / 120.0);
    sine = z.mul_add(sine, -1.0 / 6.0);
    sine = (x * z).mul_add(sine, x);
    let mut cosine = z.mul_add(1.0 / 40_320.0, -1.0 / 720.0);
    cosine = z.mul_add(cosine, 1.0 / 24.0);
    cosine = z.mul_add(cosine, -0.5);
    cosine = z.mul_add(cosine, 1.0);
    let quarters = quarter as u32 & 3;
    let (along, across) = if quarters & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    [
        if quarters >= 2 { -along } else { along },
        if quarters == 1 || quarters == 2 { -across } else { across },
    ]
}

/// A distribution of numbers that are made of four words.
#[gpu_trait]
pub trait Numbers: 'static {
    /// The type of the numbers.
    type Number: GpuType;

    /// Four numbers.
    fn of(words: [u32; 4]) -> [Self::Number; 4];
}

/// Random words.
pub struct Bits;

/// Numbers in `[0, 1)`.
pub struct Uniform;

/// Numbers normally distributed around 0 with variance 1.
pub struct Normal;

#[gpu_impl]
impl Numbers for Bits {
    type Number = u32;

    fn of(words: [u32; 4]) -> [u32; 4] {
        words
    }
}

#[gpu_impl]
impl Numbers for Uniform {
    type Number = f32;

    fn of(words: [u32; 4]) -> [f32; 4] {
        [uniform(words[0]), uniform(words[1]), uniform(words[2]), uniform(words[3])]
    }
}

#[gpu_impl]
impl Numbers for Normal {
    type Number = f32;

    fn of(words: [u32; 4]) -> [f32; 4] {
        let [a, b] = normal(words[0], words[1]);
        let [c, d] = normal(words[2], words[3]);
        [a, b, c, d]
    }
}
