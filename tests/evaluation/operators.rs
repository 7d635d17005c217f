//! Operators of one's own that read and write a static: Rust calls each in its turn, however deep it stands.

use core::ops::{Add, AddAssign, Index, Mul, Neg, Not, Sub};

use warpsmith::prelude::*;

use super::agree;

#[gpu_static]
static STEPS: [u64; 1] = [1];

/// Counts what is done with it.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Told {
    at: u64,
}

/// The number of this step.
#[gpu_fn]
fn step(by: u64) -> u64 {
    let now = STEPS.get()[0];
    STEPS.get_mut()[0] = (now * 3 + by) % 1009;
    now
}

#[gpu_impl]
impl Add for Told {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Told { at: (self.at * 7 + other.at * 5 + step(1)) % 10007 }
    }
}

/// Reads, and writes nothing.
#[gpu_impl]
impl Sub for Told {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Told { at: (self.at + 20_000 - other.at) ^ STEPS.get()[0] }
    }
}

#[gpu_impl]
impl Mul<u64> for Told {
    type Output = u64;
    fn mul(self, by: u64) -> u64 {
        (self.at * by + step(2)) % 100_003
    }
}

#[gpu_impl]
impl Neg for Told {
    type Output = Self;
    fn neg(self) -> Self {
        Told { at: (self.at + step(3)) % 10_009 }
    }
}

#[gpu_impl]
impl Not for Told {
    type Output = u64;
    fn not(self) -> u64 {
        STEPS.get()[0] + self.at
    }
}

#[gpu_impl]
impl AddAssign<u64> for Told {
    fn add_assign(&mut self, by: u64) {
        self.at = (self.at * 3 + by + step(4)) % 10_037;
    }
}

#[gpu_impl]
impl Index<usize> for Told {
    type Output = u64;
    fn index(&self, _: usize) -> &u64 {
        &self.at
    }
}

/// A static read in the middle.
#[gpu_fn]
fn seen() -> u64 {
    STEPS.get()[0]
}

#[gpu_fn]
fn three(a: u64, b: u64, c: u64) -> u64 {
    (a % 1000) * 1_000_000 + (b % 1000) * 1000 + c % 1000
}

#[gpu_kernel]
fn operators_in_their_turn(x: &[u64], out: &mut [u64]) {
    STEPS.get_mut()[0] = 1;
    let (a, b) = (Told { at: x[1] }, Told { at: x[2] });
    out[0] = ((a + b) - (b + a)).at;
    out[1] = ((a - b) + (b - a)).at;
    out[2] = (!a).wrapping_add(!(a + b)).wrapping_mul(!b % 97);
    out[3] = three(!a, (a + b).at, !a);
    out[4] = three((a - b).at, a * 2, (a - b).at);
    out[5] = (!a ^ ((a * 3) % 1009)) ^ (!b ^ ((b * 5) % 1013));
    out[6] = (seen() % 101) * (a * 2 % 103) + (seen() % 107) * (!(-a) % 109);
    let pair = [(a - b).at, a * 4, (a - b).at, seen()];
    out[7] = pair[0] ^ pair[1].rotate_left(7) ^ pair[2].rotate_left(13) ^ pair[3].rotate_left(21);
    let built = (Told { at: !a }, a * 6, Told { at: !a });
    out[8] = built.0.at ^ built.1.rotate_left(9) ^ built.2.at.rotate_left(17);
    out[9] = if !a < a * 2 && seen() > !b % 5 { seen() } else { !a ^ (a * 2) };
    out[10] = match ((!a) & 7, a * 3 & 7, (!a) & 7) {
        (p, q, r) => p * 100 + q * 10 + r,
    };
}

#[gpu_kernel]
fn operators_deep_in_others(x: &[u64], out: &mut [u64]) {
    STEPS.get_mut()[0] = 1;
    let (a, b) = (Told { at: x[1] }, Told { at: x[2] });
    let mut c = a;
    c += !a;
    c += c.at ^ seen();
    out[0] = c[0] ^ (c * 2);
    out[1] = (!(-(-a) - -b)).wrapping_sub(!a);
    out[2] = (x[(!a & 7) as usize] << (a * 2 & 3)) + x[(!a & 7) as usize];
    out[(!a & 1) as usize + 3] = a * 2 + !a;
    let closure = |k: u64| (!a ^ k) + a * k;
    out[5] = closure(2) ^ (seen() + closure(3)).rotate_left(3) ^ seen();
    out[6] = Some(!a).map_or(a * 2, |v| v ^ (a * 3)) ^ seen();
    out[7] = (!a).min(a * 2 % 1000).max(seen() % 999).wrapping_sub(!b);
    out[8] = (0..3).map(|i| !a ^ (a * i)).sum::<u64>() ^ seen();
    out[9] = seen() * (STEPS.get()[0] % 11 + (a * 2) % 13) + STEPS.get()[0] % 17;
    out[10] = STEPS.get()[0] ^ { a * 2 } ^ STEPS.get()[0] ^ !(a + b);
    out[11] = (STEPS.get()[0] + !a).wrapping_sub(STEPS.get()[0].min((a * 7) & 1));
}

agree! {
    operators_in_their_turn operators_deep_in_others
}
