//! The cost of a launch's checks: figures of the machine code with and without them, and times.

use std::fmt;
use std::time::Duration;

use crate::nvrtc::Arch;
use crate::resources::Resources;

/// A kernel with the checks of a launch, and without any.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostOfChecks {
    /// The architecture of both.
    pub arch: Arch,
    /// As [`Launch::launch`](crate::Launch::launch) runs it.
    pub checked: Resources,
    /// As [`Launch::launch_unchecked`](crate::Launch::launch_unchecked) runs it.
    pub unchecked: Resources,
    /// The times of both on a GPU, if they were measured.
    pub times: Option<CheckTimes>,
}

/// Times of a launch on a GPU, with its checks and without.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckTimes {
    /// The GPU.
    pub device: String,
    /// The median of the checked launches.
    pub checked: Duration,
    /// The median of the unchecked launches.
    pub unchecked: Duration,
    /// The number of launches of each.
    pub rounds: usize,
}

impl CostOfChecks {
    pub(super) fn new([checked, unchecked]: [Resources; 2], times: Option<CheckTimes>) -> Self {
        Self { arch: checked.arch, checked, unchecked, times }
    }
}

impl CheckTimes {
    /// The medians of the times of both forms; each was launched the same number of times.
    #[cfg_attr(not(feature = "simulator"), allow(dead_code, reason = "copies of memory are the simulator's"))]
    pub(crate) fn new(device: &str, mut checked: Vec<Duration>, mut unchecked: Vec<Duration>) -> Self {
        let rounds = checked.len().min(unchecked.len());
        let median = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        let (checked, unchecked) = (median(&mut checked), median(&mut unchecked));
        Self { device: device.to_owned(), checked, unchecked, rounds }
    }
}

impl fmt::Display for CostOfChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "on {:<20} with checks    without", self.arch.to_string())?;
        let both = [&self.checked, &self.unchecked];
        let mut row = |name: &str, cells: [Option<String>; 2]| {
            let [checked, unchecked] = cells.map(|cell| cell.unwrap_or_else(|| "unknown".to_owned()));
            writeln!(f, "  {name:<21} {checked:>11} {unchecked:>10}")
        };
        row("registers", both.map(|of| Some(of.registers.to_string())))?;
        row(
            "spills, bytes",
            both.map(|of| of.spills.map(|spills| (spills.stores + spills.loads).to_string())),
        )?;
        row("local memory, bytes", both.map(|of| Some(of.local.to_string())))?;
        row("instructions", both.map(|of| of.instructions.map(|count| count.to_string())))?;
        if let Some(times) = &self.times {
            let micros = |time: Duration| Some(format!("{:.2}", time.as_secs_f64() * 1e6));
            row("time, µs", [micros(times.checked), micros(times.unchecked)])?;
            writeln!(f, "  medians of {} launches each, on {}", times.rounds, times.device)?;
        }
        self.checked.remarks.iter().try_for_each(|remark| writeln!(f, "  remark: {remark}"))
    }
}
