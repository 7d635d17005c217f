//! Tensor cores: the instructions of a warp on matrices against the host, and mistakes in their use.

mod matrices;
mod products;
mod tiles;

use warpsmith::prelude::*;

/// Numbers that look random.
fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}

/// The compute capability that a kernel needs.
fn needs<K: Kernel<Comptime = ()>>() -> (u32, u32) {
    K::print(&(), &Default::default()).expect("a kernel").needs.min_compute
}
