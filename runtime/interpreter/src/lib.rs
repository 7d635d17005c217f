//! The interpreter of kernels.
//!
//! A kernel's IR comes in. It becomes a program of operations on a thread's frame, which the machine of `warpsmith-sim` runs. A
//! builtin's operation calls the same Rust function as the twin.
//!
//! This crate is independent of GPUs, drivers and host memory objects: an argument is an address with a length, an image or bytes.
//! Use it through `warpsmith`; its own API may change in any version.

#![deny(missing_docs)]
#![allow(
    clippy::result_large_err,
    reason = "a fault of the simulator ends a launch, and is boxed where it becomes an `Error`"
)]

pub mod interpreter;

use warpsmith_ir::{deep_stack, half, ir, validate};
use warpsmith_lang::{argument, kernel, kernel_map, macro_support, types};
use warpsmith_sim::simulator;
