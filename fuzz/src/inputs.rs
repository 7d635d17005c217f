//! The inputs of the kernels: one set for all, and comptime values for each variant.

use crate::programs::Program;
use crate::random::Random;
use crate::support::{Body, Pair};

/// Blocks of a launch.
pub const GRID: u32 = 2;
/// Threads of a block; two warps, so that warps can part.
pub const BLOCK: u32 = 64;
/// Threads of a launch, and elements of each input.
pub const THREADS: usize = (GRID * BLOCK) as usize;

/// `a`, `b`, `pick`, `mask` and `cut` of a kernel.
pub type Comptime = (u32, i32, u32, u64, u64);

/// The initial value of `counts`; each atomic of a kernel changes it visibly.
pub const COUNTS: [u32; 8] = [7, 9, 0, u32::MAX, 0, u32::MAX, 5, 0];

/// The integers that every kernel reads; edge values among them.
pub fn integers(seed: u64) -> Vec<u32> {
    let mut random = Random::of(seed, [0, 2]);
    let edges = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let value = |_| if random.chance(25) { *random.pick(&edges) } else { random.next() as u32 };
    (0..THREADS).map(value).collect()
}

/// The floats that every kernel reads; zeros, subnormals, infinities and a NaN among them.
pub fn floats(seed: u64) -> Vec<f32> {
    let mut random = Random::of(seed, [0, 3]);
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1e-40,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let mut value = || match random.below(4) {
        0 => *random.pick(&edges),
        1 => random.below(1000) as f32 - 500.0,
        2 => (random.next() as i32) as f32 / 65536.0,
        // Without the lowest bit of the exponent it is neither infinite nor a NaN.
        _ => f32::from_bits(random.next() as u32 & 0xff7f_ffff),
    };
    (0..THREADS).map(|_| value()).collect()
}

/// The words that every kernel changes, each thread its own eight.
pub fn words(seed: u64) -> Vec<u64> {
    let mut random = Random::of(seed, [0, 6]);
    (0..8 * THREADS).map(|_| if random.chance(30) { random.below(9) as u64 } else { random.next() }).collect()
}

/// The structs that every kernel changes, each thread its own two.
pub fn bodies(seed: u64) -> Vec<Body> {
    let mut random = Random::of(seed, [0, 5]);
    let body = |_| Body {
        at: [random.below(100) as f32, 0.5],
        n: random.next() as u32,
        q: Pair { x: random.next() as i32, y: random.below(9) as i32 },
        d: [random.next(), 0, u64::MAX, random.next() >> 40],
    };
    (0..2 * THREADS).map(body).collect()
}

/// The comptime values of variant `variant` of a program; the first keeps everything, unless one of `density`
/// statements is to be kept.
pub fn comptime(
    seed: u64,
    index: usize,
    variant: usize,
    program: &Program,
    density: Option<usize>,
) -> Comptime {
    let mut random = Random::of(seed ^ (variant as u64) << 20, [index as u64, 4]);
    let edges = [0, 1, 2, 7, 31, 32, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let mut word = || if random.chance(60) { *random.pick(&edges) } else { random.next() as u32 };
    let (a, b, pick) = (word(), word() as i32, word());
    let pick = if variant == 0 { pick } else { pick ^ random.next() as u32 };
    let mask = match (density, random.below(3)) {
        (Some(n), _) => (0..64).fold(0, |mask, bit| mask | u64::from(random.below(n) == 0) << bit),
        _ if variant == 0 => u64::MAX,
        (None, 0) => random.next() & random.next(),
        (None, 1) => random.next(),
        (None, _) => random.next() | random.next(),
    };
    // One expression of eight is cut.
    let cut = if variant == 0 { 0 } else { random.next() & random.next() & random.next() };
    let every = |holes: usize| u64::MAX.checked_shr(64 - holes as u32).unwrap_or(0);
    (a, b, pick, mask & every(program.statements), cut & every(program.expressions))
}
