//! The device side of std methods: `x.sqrt()`, `n.count_ones()`, `f32::from_bits(b)`, `x.len()`.
//!
//! The twin calls the methods of Rust's library themselves; each line here gives the CUDA text of
//! one. The hidden traits only exist so that a witness learns which type a call is on.

mod float;
mod float_prelude;
mod int;
mod int_prelude;
mod len;
mod prelude;

pub use float::{FloatBits, FloatMethods};
pub use int::{IntMethods, Signed, SignedMethods, Unsigned, UnsignedMethods};
pub use len::{ArrayLen, ViewOffset};
