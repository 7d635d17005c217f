//! Products of matrices on tensor cores: of floats of 8 and 16 bits, of `f32` as `tf32`, and of integers of 8 bits.

pub mod along;
pub mod boxes;
pub mod call;
pub mod element;
pub mod grouped;
pub mod grouped_call;
pub mod grouped_shares;
pub mod partials;
pub mod split;
pub mod stream_k;
pub mod target;
pub mod warpgroups;
pub mod warps;
