//! What the kernels read: one set of inputs for all, and comptime values for each variant.

use crate::random::Random;

/// Blocks of a launch.
pub const GRID: u32 = 2;
/// Threads of a block; two warps, so that warps can part.
pub const BLOCK: u32 = 64;
/// Threads of a launch, and elements of each input.
pub const THREADS: usize = (GRID * BLOCK) as usize;

/// `a`, `b`, `pick` and `mask` of a kernel.
pub type Comptime = (u32, i32, u32, u64);

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

/// The comptime values of variant `variant` of program `program`; the first keeps every statement.
pub fn comptime(seed: u64, program: usize, variant: usize, statements: usize) -> Comptime {
    let mut random = Random::of(seed ^ (variant as u64) << 20, [program as u64, 4]);
    let edges = [0, 1, 2, 7, 31, 32, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let mut word = || if random.chance(60) { *random.pick(&edges) } else { random.next() as u32 };
    let (a, b, pick) = (word(), word() as i32, word());
    let every = (1u64 << statements) - 1;
    // Two of three statements on average.
    let mask = if variant == 0 { every } else { (random.next() | random.next() & random.next()) & every };
    (a, b, if variant == 0 { pick } else { pick ^ random.next() as u32 }, mask)
}
