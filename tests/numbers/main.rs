//! Every numeric method and builtin over edge values and 10,000 random ones: on the simulator always,
//! on a GPU where there is one, and through NVRTC where that is installed.
//!
//! Exact functions are compared bit for bit with an independent host expression; the others must be
//! within NVIDIA's documented bound, and one ulp for the reference, of a value computed in `f64`.

mod battery;

mod casts;
mod conversions;
mod eighths;
mod fast;
mod halves;
mod integers;
mod intrinsics;
mod library;
mod packed;
mod packets;
mod quotients;
mod rounding;
mod std_exact;
mod std_inexact;
mod tensor_cores;
