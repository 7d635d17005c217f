//! A simulator of CUDA's threads on a CPU, and observers of what they do.
//!
//! In come the shape of a launch and a closure that runs one thread; out goes a report, or a fault with its lines.
//! [`simulator`] runs the threads with all that they wait for, [`checks`] look for races, reads of unwritten memory and
//! misaligned accesses, and [`metrics`] count sectors, wavefronts, divergence and operations by line.
//!
//! This crate knows no CUDA text, no GPU, no memory object of the host's and no Rust type of a kernel's: a thread is a closure,
//! and an access is an address, a size and a line. Of the IR it knows where functions stand, for the tables of metrics. Use it
//! through `warpsmith`, which has all of it under the same paths; on its own it promises nothing between versions.

#![deny(missing_docs)]

#[cfg(feature = "machine")]
pub mod checks;
#[cfg(feature = "machine")]
pub mod metrics;
mod on_host;
#[cfg_attr(not(feature = "machine"), path = "absent/mod.rs")]
pub mod simulator;
