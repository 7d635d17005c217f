//! Tensor cores, the copy engine, barriers with phases and pipelines.
//!
//! As in `tests/language`, each kernel runs on the simulator, is compiled by NVRTC where that is present, runs on a GPU where
//! there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(clippy::multiple_bound_locations)]

mod chains;
mod mbarriers;
mod pipelines;
mod roles;
mod tensor_cores;
mod tensor_limits;
mod tensor_maps;
mod tensor_ranks;
mod tiles;
mod wgmma;

use harness::everywhere;
