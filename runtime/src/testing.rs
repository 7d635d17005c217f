//! Assertions about launches, for `#[test]` functions.
//!
//! Each takes a launch and the simulator, runs it there, and panics in words if it does not hold: with the
//! Rust line, the figure, and what would help. With a GPU, those about costs are of copies on the simulator, as
//! [`Launch::metrics`] is. Those about costs give the launch's [`Report`], so that figures
//! can be asserted too. They need no GPU, and tests that use them may run in parallel.
//!
//! ```
//! use warpsmith::prelude::*;
//! use warpsmith::testing::{assert_coalesced, assert_conflict_free};
//!
//! /// y[i] = a * x[i] + y[i]
//! #[gpu_kernel]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! # fn main() -> warpsmith::Result<()> {
//! let device = Device::simulator();
//! let x = device.upload(&[1.0f32; 1000])?;
//! let mut y = device.upload(&[2.0f32; 1000])?;
//! let metrics = assert_coalesced!(saxpy(2.0, &x, &mut y).over(1000), &device);
//! assert_eq!(metrics.total.flops(), 2000);
//! assert_conflict_free!(saxpy(2.0, &x, &mut y).over(1000), &device);
//! # Ok(()) }
//! ```

use std::fmt::Write;

use crate::checks::Races;
use crate::compile::kernel::Kernel;
use crate::error::Result;
use crate::host::device::Device;
use crate::launch::Launch;
use crate::metrics::{Advice, Counts, Report, advice};

#[doc(inline)]
pub use crate::{assert_coalesced, assert_conflict_free, assert_race_free, assert_uniform};

/// Asserts that the lanes of every warp move no more sectors of global memory than their bytes fill.
///
/// `assert_coalesced!(launch, &device)` holds each line to the fewest sectors that its bytes could fill;
/// `assert_coalesced!(launch, &device, 80.0)` lets so many percent of what is moved be needed. Gives the
/// [`Report`]; see [`testing`](crate::testing) for an example.
///
/// # Panics
/// If a line moves more, or if the launch fails.
#[macro_export]
macro_rules! assert_coalesced {
    ($launch:expr, $device:expr $(, $percent:expr)? $(,)?) => {
        $crate::testing::coalesced($launch.metrics($device), 100.0_f64 $(.min($percent))?)
    };
}

/// Asserts that no request to shared memory takes more wavefronts than its width needs.
///
/// `assert_conflict_free!(launch, &device)` gives the [`Report`]; see [`testing`](crate::testing) for an example.
///
/// # Panics
/// If lanes of a warp want different words of one bank, or if the launch fails.
#[macro_export]
macro_rules! assert_conflict_free {
    ($launch:expr, $device:expr $(,)?) => {
        $crate::testing::conflict_free($launch.metrics($device))
    };
}

/// Asserts that the lanes of every warp go the same way at every branch.
///
/// `assert_uniform!(launch, &device)` lets none diverge; `assert_uniform!(launch, &device, 95.0)` wants so many
/// percent of the branches uniform. Gives the [`Report`].
///
/// # Panics
/// If more branches diverge, or if the launch fails.
#[macro_export]
macro_rules! assert_uniform {
    ($launch:expr, $device:expr $(, $percent:expr)? $(,)?) => {
        $crate::testing::uniform($launch.metrics($device), 100.0_f64 $(.min($percent))?)
    };
}

/// Asserts that no two threads of a launch access the same memory without an order between them, one of them to
/// write.
///
/// `assert_race_free!(launch, &device)`: found are races that other orders of blocks, warps and lanes would bring out,
/// not only those of the order that ran. What the threads do is that of the launch's arguments.
///
/// ```should_panic
/// use warpsmith::prelude::*;
/// use warpsmith::testing::assert_race_free;
///
/// #[gpu_kernel]
/// fn reversed(x: &mut [u32]) {
///     let mut tile = shared!([u32; 64]);
///     let t = thread_idx().x;
///     tile[t] = x[t];
///     // `sync_threads();` is missing.
///     x[t] = tile[63 - t];
/// }
///
/// let device = Device::simulator();
/// let mut x = device.upload(&[7u32; 64]).unwrap();
/// assert_race_free!(reversed(&mut x).grid(1).block(64), &device);
/// ```
///
/// # Panics
/// If there is a race, with both lines and threads; if the launch fails, or if the device is no simulator.
#[macro_export]
macro_rules! assert_race_free {
    ($launch:expr, $device:expr $(,)?) => {
        $crate::testing::race_free($launch, $device)
    };
}

/// No two threads race.
#[doc(hidden)]
#[track_caller]
pub fn race_free<K: Kernel>(launch: Launch<'_, K>, device: &Device) {
    let races = Races::new();
    if let Err(error) = launch.launch_observed(device, &[&races]) {
        panic!("kernel `{}` cannot be called free of races: {error}", K::NAME);
    }
}

/// The part of what each line moves that is needed is at least so many percent.
#[doc(hidden)]
#[track_caller]
pub fn coalesced(report: Result<Report>, percent: f64) -> Report {
    held(report, "moves more of global memory than it uses", |counts| {
        let sides = [counts.loads, counts.stores, counts.copies];
        let wrong = sides.iter().any(|of| of.ideal_sectors as f64 * 100.0 < of.sectors as f64 * percent);
        if wrong { advice::coalescing(counts) } else { Vec::new() }
    })
}

/// No request takes more wavefronts than its width needs.
#[doc(hidden)]
#[track_caller]
pub fn conflict_free(report: Result<Report>) -> Report {
    held(report, "has bank conflicts in shared memory", advice::conflicts)
}

/// The part of each line's branches that is uniform is at least so many percent.
#[doc(hidden)]
#[track_caller]
pub fn uniform(report: Result<Report>, percent: f64) -> Report {
    held(report, "diverges", |counts| {
        let wrong = counts.branches.efficiency() < percent;
        if wrong { advice::divergence(counts).into_iter().collect() } else { Vec::new() }
    })
}

/// The report of a launch that ran, and of whose lines nothing is wrong.
#[track_caller]
fn held(report: Result<Report>, what: &str, wrong: impl Fn(&Counts) -> Vec<Advice>) -> Report {
    let report = report.unwrap_or_else(|error| panic!("the launch cannot be measured: {error}"));
    let mut text = format!("kernel `{}` {what}", report.kernel);
    let mut any = false;
    for row in &report.rows {
        for Advice { what, help } in wrong(&row.counts) {
            any = true;
            _ = write!(text, "\n  {}:{}: {what}\n    help: {help}", row.file, row.line);
        }
    }
    assert!(!any, "{text}");
    report
}
