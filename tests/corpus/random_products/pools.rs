//! Operands that stress a sum: rows, columns and old sums, in pools from which products pick.

use warpsmith::prelude::*;

use super::Element;

/// Entries of each pool.
pub const POOL: usize = 1 << 14;

/// A number that looks random, of a product and a place in it. Places of rows begin at 0, of columns at 64, of the sums at 1024.
#[gpu_fn]
pub fn pick(product: u32, place: u32) -> u32 {
    let mut x = product.wrapping_mul(0x9e37_79b1) ^ place.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// Whether a product of a warpgroup adds to the old sums.
#[gpu_fn]
pub fn keeps(product: u32) -> bool {
    product % 8 != 0
}

/// Random words.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut new = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = new.word());
        new
    }

    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        (self.word() >> 20) % n
    }
}

/// How the numbers of a row are related.
pub const STYLES: [&str; 10] =
    ["bits", "near_one", "wide", "tiny", "spread", "mirrored", "few_bits", "sparse", "specials", "twins"];

/// A float from its parts; the exponent is brought into the range of finite numbers.
fn float([exponent_bits, mantissa_bits]: [u32; 2], sign: u64, exponent: i64, mantissa: u64) -> u64 {
    // E4M3 has numbers where others have infinities.
    let most = (1i64 << exponent_bits) - if exponent_bits == 4 { 1 } else { 2 };
    let mantissa = mantissa & ((1 << mantissa_bits) - 1);
    let exponent = exponent.clamp(0, most);
    let mantissa = if exponent_bits == 4 && exponent == most { mantissa & 6 } else { mantissa };
    (sign & 1) << (exponent_bits + mantissa_bits) | (exponent as u64) << mantissa_bits | mantissa
}

/// One of the numbers at the edges of a format.
fn special(random: &mut Random, [exponent_bits, mantissa_bits]: [u32; 2]) -> u64 {
    let (ones, top) = ((1u64 << mantissa_bits) - 1, ((1u64 << exponent_bits) - 1) << mantissa_bits);
    let magnitudes =
        [top, top | ones, top | 1, top - 1, 0, 1, 1 << mantissa_bits, ones, top | 1 << (mantissa_bits - 1)];
    magnitudes[random.below(9) as usize] | random.below(2) << (exponent_bits + mantissa_bits)
}

/// The numbers of a row or column, and their style.
fn numbers(random: &mut Random, element: Element, k: usize) -> (u8, Vec<u64>) {
    let Some(format) = element.format() else {
        return (0, (0..k).map(|_| random.word() & 0xff).collect());
    };
    let [exponent_bits, mantissa_bits] = format;
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let style = match random.below(32) {
        n @ 0..=2 => [0, 8, 3][n as usize],
        n => [0, 1, 2, 4, 4, 4, 5, 6, 7, 9][n as usize % 10],
    };
    let centre = match random.below(4) {
        0 => random.below(1 << exponent_bits) as i64,
        _ => bias + random.below(41) as i64 - 20,
    };
    let width = [1, 3, 8, 16, 30][random.below(5) as usize];
    let near = |random: &mut Random| centre + random.below(2 * width + 1) as i64 - width as i64;
    let mut row: Vec<u64> = Vec::with_capacity(k);
    for i in 0..k {
        let (sign, mantissa) = (random.word() >> 40, random.word());
        let edges = [0, u64::MAX, 1, 1 << (mantissa_bits - 1), u64::MAX - 1];
        row.push(match style {
            0 => float(format, sign, random.below(1 << exponent_bits) as i64, mantissa),
            1 => float(format, sign, bias - 2 + random.below(5) as i64, mantissa),
            2 => {
                float(format, sign, random.below(1 << exponent_bits) as i64, edges[random.below(5) as usize])
            }
            3 if random.below(4) == 0 => float(format, sign, 0, 0),
            3 => float(format, sign, random.below(2) as i64, mantissa),
            5 if i % 2 == 1 => row[i - 1] ^ 1 << (exponent_bits + mantissa_bits),
            9 if i % 2 == 1 => row[i - 1] ^ (random.below(3) == 0) as u64,
            6 => float(format, sign, near(random), edges[random.below(5) as usize]),
            7 if random.below(6) != 0 => float(format, sign, 0, 0),
            8 if random.below(8) == 0 => special(random, format),
            _ => float(format, sign, near(random), mantissa),
        });
    }
    (style, row)
}

/// An old sum.
fn sum(random: &mut Random, element: Element) -> u64 {
    let Some(format) = element.format() else {
        let word = random.word() as u32;
        let end = [word as i32, i32::MAX - (word >> 14) as i32, i32::MIN + (word >> 14) as i32];
        return u64::from(end[random.below(3) as usize] as u32);
    };
    let bias = (1i64 << (format[0] - 1)) - 1;
    let (sign, mantissa) = (random.word() >> 40, random.word());
    match random.below(16) {
        0 => float(format, sign, 0, 0),
        1 => float(format, sign, 0, mantissa),
        2 if random.below(4) == 0 => special(random, format),
        2 | 3 => float(format, sign, random.below(1 << format[0]) as i64, mantissa),
        4 | 5 => float(format, sign, bias + random.below(61) as i64 - 30, 0),
        6 => float(format, sign, bias + random.below(61) as i64 - 30, u64::MAX),
        7 | 8 => float(format, sign, bias + random.below(11) as i64 - 5, mantissa),
        _ => float(format, sign, bias + random.below(61) as i64 - 30, mantissa),
    }
}

/// What products pick from.
pub struct Pools {
    /// The bits of rows of `a` and of columns of `b`, one after the other.
    pub bits: [Vec<u64>; 2],
    /// Their values.
    pub values: [Vec<f64>; 2],
    /// The places of their styles in [`STYLES`].
    pub styles: [Vec<u8>; 2],
    /// The bits of old sums.
    pub sums: Vec<u64>,
}

impl Pools {
    /// Rows and columns of `k` elements.
    pub(super) fn new(seed: u64, k: usize, [a, b, c]: [Element; 3]) -> Self {
        let mut random = Random::new(seed);
        let mut all = |element: Element| {
            let of: Vec<_> = (0..POOL).map(|_| numbers(&mut random, element, k)).collect();
            let styles: Vec<u8> = of.iter().map(|entry| entry.0).collect();
            let bits: Vec<u64> = of.into_iter().flat_map(|entry| entry.1).collect();
            let values: Vec<f64> = bits.iter().map(|bits| element.value(*bits)).collect();
            (styles, bits, values)
        };
        let ((styles_a, bits_a, values_a), (styles_b, bits_b, values_b)) = (all(a), all(b));
        let sums = (0..POOL).map(|_| sum(&mut random, c)).collect();
        Self { bits: [bits_a, bits_b], values: [values_a, values_b], styles: [styles_a, styles_b], sums }
    }
}
