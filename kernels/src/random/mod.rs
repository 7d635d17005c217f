//! Random numbers by counters: the number with an index depends on the seed and the index alone, so every thread computes its own.
//!
//! | function | gives |
//! |---|---|
//! | [`fill_bits`] [`fill_uniform`] [`fill_normal`] | a slice of random `u32`, of `f32` in `[0, 1)`, or of normal `f32` |
//! | [`philox`] | the four words of a counter and a key, in kernels and on the host |
//! | [`words`] [`uniform`] [`normal`] | the same of a seed and an index; numbers of words |
//!
//! The generator is Philox 4x32 with ten rounds (J. Salmon, M. Moraes, R. Dror and D. Shaw, *Parallel Random Numbers: As Easy as 1, 2, 3*,
//! 2011). Kernels, the simulator and the host get the same bits, of normal numbers too: they are made of operations that IEEE 754 rounds
//! exactly.

mod call;
mod kernel;
mod numbers;

pub use call::{Fill, fill_bits, fill_normal, fill_uniform};
pub use kernel::fill_kernel;
pub use numbers::{Bits, Normal, Numbers, Uniform, normal, philox, uniform, words};
