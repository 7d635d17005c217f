//! A simulator of CUDA's threads on a CPU, and observers of what they do.
//!
//! The shape of a launch and a closure that runs one thread come in; a report goes out, or a fault with its lines.
//! [`simulator`] runs the threads and everything that they wait for, [`checks`] look for races, reads of unwritten memory and
//! misaligned accesses, and [`metrics`] count sectors, wavefronts, divergence and operations by line.
//!
//! This crate is independent of CUDA text, GPUs, host memory objects and a kernel's Rust types: a thread is a closure, and an
//! access is an address, a size and a line. From the IR it uses only the source locations of functions, for the tables of
//! metrics. Use it through `warpsmith`, which re-exports all of it; its own API may change in any version.

#![deny(missing_docs)]

#[cfg(feature = "machine")]
pub mod checks;
#[cfg(feature = "machine")]
pub mod metrics;
mod on_host;
#[cfg_attr(not(feature = "machine"), path = "absent/mod.rs")]
pub mod simulator;
