//! Constants that refer to arrays, and tables of what C++ does not initialise by itself, beside plain Rust.

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

const TABLE: &[u64; 4] = &[3, 1, 4, 1];
const KEY: &[u8; 4] = b"warp";
const PAIRS: [&[u8; 2]; 3] = [b"ab", b"cd", b"ef"];
const GRID: &[[i8; 2]; 2] = &[[1, -2], [-3, 4]];

/// A trait with a reference for a constant.
#[gpu_trait]
trait Coded {
    const CODE: &'static [u32; 3];
}

/// A type with one.
struct Coder;

#[gpu_impl]
impl Coded for Coder {
    const CODE: &'static [u32; 3] = &[9, 8, 7];
}

plain! { references(i, x):
    const_refs {
        let k = (x[i] % 4) as usize;
        let mut h = TABLE[k] + KEY[k] as u64 * 10 + KEY.len() as u64 * 100_000;
        for (a, b) in TABLE.iter().zip(KEY) {
            h = h * 3 + a * *b as u64;
        }
        let key = KEY;
        let [p, q, ..] = *key;
        h ^= PAIRS[k % 3][1] as u64 ^ (PAIRS[1][k % 2] as u64) << 8;
        h += GRID[k % 2][k / 2] as i64 as u64 & 0xff;
        let part = &KEY[1..3];
        h ^ p as u64 ^ q as u64 ^ (part[k % 2] as u64) << 50 ^ (Coder::CODE[k % 3] as u64) << 30
    }
    byte_strings {
        let b = x[i] as u8;
        let vowel = b"aeiou".iter().filter(|v| **v == b).count() > 0;
        let hex = b"0123456789abcdef"[(b & 15) as usize] as u64;
        let same = *b"abcdefgh" == x[i].to_le_bytes();
        let name = if b % 2 == 0 { b"even" } else { b"odd " };
        let mut h = 0u64;
        for c in name {
            h = h * 31 + *c as u64;
        }
        h + hex * 7 + vowel as u64 + same as u64 + b"xyz".len() as u64
    }
}

const OPTS: [Option<u32>; 3] = [None, Some(3), Some(9)];
const EDGES: [f32; 4] = [f32::NEG_INFINITY, -1.5, f32::NAN, f32::INFINITY];
const FAR: f64 = f64::INFINITY;
const NODES: [Leafy; 3] = [Leafy::Leaf(7), Leafy::Pair { left: 3, right: f64::INFINITY }, Leafy::Nil];
const PAIRED: [(u8, f32); 2] = [(1, f32::INFINITY), (2, -0.0)];

/// A variant with a float, for tables.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Leafy {
    Leaf(u32),
    Pair { left: u16, right: f64 },
    Nil,
}

plain! { tables(i, x):
    tables {
        let k = (x[i] % 3) as usize;
        let n = match NODES[k] {
            Leafy::Leaf(v) => v as u64,
            Leafy::Pair { left, right } if right > 1e300 => left as u64,
            Leafy::Pair { .. } => 8,
            Leafy::Nil => 1,
        };
        let v = (x[i + 1] % 9) as f32 - 4.0;
        let under = EDGES.iter().filter(|e| v > **e).count() as u64;
        let (a, b) = PAIRED[k % 2];
        n ^ OPTS[k].map_or(100, |v| v as u64)
            ^ under << 9
            ^ (FAR > x[i] as f64) as u64
            ^ a as u64
            ^ (b.is_infinite() as u64) << 20
            ^ (EDGES[3 - k].is_nan() as u64) << 21
    }
}

#[test]
fn constants_that_refer_to_arrays() {
    check::<references::cases>();
}

#[test]
fn tables_of_infinities_and_of_variants_with_fields() {
    check::<tables::cases>();
}
