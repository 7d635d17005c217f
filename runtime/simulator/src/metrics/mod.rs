//! The costs of a simulated launch, by Rust line: sectors, wavefronts, bulk copies, waits, divergence, operations.
//!
//! A launch tells [`Metrics`] each access, branch and operation of its threads; a [`Report`] comes
//! out. Every figure is counted from the addresses that the launch used, none from the text of the
//! kernel, and has the name of Nsight Compute's metric beside it ([`Counts::profiler`]). What a
//! compiler would merge, hoist or predicate is counted as it was written. Knows neither CUDA nor the
//! IR, and takes no part in the evaluation.
//!
//! # How lanes become a request
//!
//! A warp executes an instruction once for all of its lanes that are there; a simulator runs the lanes
//! one after the other. Accesses of lanes of one warp with the same instruction and instance, class and
//! width are one request. It is counted as soon as no other lane can join it: when all lanes of the warp
//! have, or have ended, or all wait at one meeting. Until then it is kept, and at most
//! [`OPEN_LIMIT`] are: beyond, the older half is counted as it is, and a request may be counted once
//! for each part of its lanes. [`Report::forced`] says how many were; where it is 0, as it is unless a
//! thread executes some hundred thousand instructions without waiting for its warp, all is exact.

mod address;
#[doc(hidden)]
pub mod advice;
mod collector;
mod counted;
mod counts;
mod footprint;
mod pattern;
mod profiler;
mod report;
mod requests;
mod text;
mod warp;
mod work;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use advice::Advice;
pub use collector::{Metrics, OPEN_LIMIT};
pub use counts::{Atomics, Banks, Branches, Bulk, Counts, Executed, Traffic, Waits};
pub use pattern::{BankMap, Pattern, PatternKind};
pub use report::{Report, Row};
pub use warpsmith_ir::ir::TensorFormat;
pub use work::Work;

/// Bytes of a sector: what caches and memory move at once.
pub const SECTOR: u64 = 32;
/// Banks of shared memory.
pub const BANKS: usize = 32;
/// Bytes of a word of a bank.
pub const WORD: u64 = 4;
/// Lanes of a warp.
pub const LANES: usize = 32;
