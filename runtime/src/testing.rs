//! Assertions about launches, for `#[test]` functions.
//!
//! Each runs a launch on the simulator. If the assertion fails, it panics with the Rust line, the figure and advice. The
//! assertions about costs return the [`Report`] of the launch, whose figures can be asserted too; on a GPU they count a
//! copy of the launch on the simulator, as [`Launch::metrics`] does. They need no GPU, and tests that use them may run
//! in parallel.
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
/// `assert_coalesced!(launch, &device, 80.0)` requires only that 80 % of the moved bytes are used. Returns the
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
/// `assert_conflict_free!(launch, &device)` returns the [`Report`]; see [`testing`](crate::testing) for an example.
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
/// `assert_uniform!(launch, &device)` allows no divergence; `assert_uniform!(launch, &device, 95.0)` requires that 95 %
/// of the branches are uniform. Returns the [`Report`].
///
/// # Panics
/// If more branches diverge, or if the launch fails.
#[macro_export]
macro_rules! assert_uniform {
    ($launch:expr, $device:expr $(, $percent:expr)? $(,)?) => {
        $crate::testing::uniform($launch.metrics($device), 100.0_f64 $(.min($percent))?)
    };
}

/// Asserts that a launch has no data race: no two threads access the same memory, one of them writing, without
/// an order between the accesses.
///
/// `assert_race_free!(launch, &device)` also finds races that only another order of blocks, warps and lanes would
/// bring out. It covers the accesses that the threads make for the given arguments.
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
/// If there is a race, with both lines and threads; if the launch fails; or if the device is not the simulator.
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

/// Checks that at least `percent` percent of the bytes that each line moves are needed.
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

/// Checks that at least `percent` percent of each line's branches are uniform.
#[doc(hidden)]
#[track_caller]
pub fn uniform(report: Result<Report>, percent: f64) -> Report {
    held(report, "diverges", |counts| {
        let wrong = counts.branches.efficiency() < percent;
        if wrong { advice::divergence(counts).into_iter().collect() } else { Vec::new() }
    })
}

/// The report of a launch that ran, and whose lines pass the test.
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
