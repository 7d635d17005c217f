//! What a kernel does with the hardware: synchronisation, kinds of memory, atomics, the copy engine, tensor cores.
//!
//! As in `tests/language`, each kernel runs on the simulator, is compiled by NVRTC where that is present, runs on a GPU where
//! there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::multiple_bound_locations,
    clippy::needless_range_loop,
    clippy::redundant_closure,
    clippy::manual_is_multiple_of
)]

mod atomics;
mod chains;
mod large_shared;
mod mbarriers;
mod memory;
mod pipelines;
mod planes;
mod roles;
mod surfaces;
mod tensor_cores;
mod tensor_limits;
mod tensor_maps;
mod tensor_ranks;
mod textures;
mod threads;
mod tiles;
mod waits;
mod warps;
mod wgmma;

use harness::{compiles, devices, everywhere, noise, written};
