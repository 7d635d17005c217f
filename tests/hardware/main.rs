//! What a kernel does with the hardware: synchronisation, kinds of memory, atomics, textures.
//!
//! As in `tests/language`, each kernel runs on the simulator, is compiled by NVRTC where that is present, runs on a GPU where
//! there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(clippy::redundant_closure, clippy::manual_is_multiple_of)]

mod atomics;
mod large_shared;
mod memory;
mod planes;
mod surfaces;
mod textures;
mod threads;
mod waits;
mod warps;

use harness::{compiles, devices, everywhere, noise, written};
