//! Products of `bf16` and `f16` matrices on tensor cores.

pub mod boxes;
pub mod call;
pub mod partials;
pub mod split;
pub mod stream_k;
pub mod warpgroups;
pub mod warps;
