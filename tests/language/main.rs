//! The language, item by item: each kernel runs on the simulator, is compiled by NVRTC where that is
//! present, runs on a GPU where there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::or_then_unwrap,
    clippy::redundant_closure,
    clippy::unnecessary_literal_unwrap,
    clippy::unnecessary_map_on_constructor,
    clippy::needless_range_loop
)]
#![allow(clippy::manual_is_multiple_of)]

mod abstraction;
mod atomics;
mod bytes;
mod closures;
mod enums;
mod equality;
mod escape;
mod evaluation;
mod everyday;
mod failures;
mod globals;
mod iteration;
mod lifetimes;
mod memory;
mod mixed_operators;
mod names;
mod operators;
mod options;
mod parameters;
mod patterns;
mod ranges;
mod reuse;
mod shared_memory;
mod slices;
mod surfaces;
mod tables;
mod talk;
mod textures;
mod threads;
mod tiles;
mod vectors;
mod views;
mod waits;
mod warps;

use harness::{compiles, devices, everywhere, noise, written};
