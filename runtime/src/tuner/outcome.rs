//! The result of a search, and its table.

use std::fmt;
use std::time::Duration;

use super::{Candidate, TunerError};
use crate::error::Result;

/// The best candidate of a search, and the result of each.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    name: String,
    device: String,
    bytes: Option<u64>,
    rows: Vec<Row>,
    best: usize,
    kept: bool,
}

/// One candidate and its result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The candidate.
    pub candidate: Candidate,
    /// Its result.
    pub tried: Tried,
}

/// The result of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tried {
    /// It was timed.
    #[non_exhaustive]
    Timed {
        /// Time of one launch: the median of all rounds.
        median: Duration,
        /// The number of rounds.
        rounds: u32,
        /// Whether it was stopped because it could not become the best.
        stopped: bool,
    },
    /// It ran on the simulator, which does not time.
    Ran,
    /// It does not fit the device, or a constraint refuses it.
    #[non_exhaustive]
    Skipped {
        /// Why.
        reason: String,
    },
}

impl Outcome {
    pub(super) fn new(
        name: &str,
        device: &str,
        bytes: Option<u64>,
        rows: Vec<Row>,
        kept: bool,
    ) -> Result<Self> {
        let rank = |row: &Row| match &row.tried {
            Tried::Timed { median, .. } => Some(*median),
            Tried::Ran => Some(Duration::ZERO),
            Tried::Skipped { .. } => None,
        };
        let ranked = rows.iter().enumerate().filter_map(|(i, row)| Some((rank(row)?, i)));
        let Some((_, best)) = ranked.min() else { return Err(none_fits(name, &rows).into()) };
        Ok(Self { name: name.to_owned(), device: device.to_owned(), bytes, rows, best, kept })
    }

    /// The fastest candidate; on the simulator the first that fits.
    pub fn best(&self) -> &Candidate {
        &self.rows[self.best].candidate
    }

    /// The time of the best candidate; `None` on the simulator.
    pub fn best_time(&self) -> Option<Duration> {
        best(&self.rows).map(|(_, median)| median)
    }

    /// Every candidate, in the order of the axes.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns whether the result was kept from an earlier search.
    pub fn was_kept(&self) -> bool {
        self.kept
    }
}

fn none_fits(name: &str, rows: &[Row]) -> TunerError {
    let first = rows.iter().find_map(|row| match &row.tried {
        Tried::Skipped { reason } => Some((row.candidate.to_string(), reason.clone())),
        Tried::Timed { .. } | Tried::Ran => None,
    });
    let (candidate, reason) = first.unwrap_or_default();
    TunerError::NoneFits { name: name.to_owned(), count: rows.len(), candidate, reason }
}

/// The fastest of the candidates that were timed, the first of several.
pub(super) fn best(rows: &[Row]) -> Option<(&Candidate, Duration)> {
    let timed = rows.iter().filter_map(|row| match row.tried {
        Tried::Timed { median, .. } => Some((&row.candidate, median)),
        Tried::Ran | Tried::Skipped { .. } => None,
    });
    timed.min_by_key(|(_, median)| *median)
}

/// The middle of some times, of two middles the lower.
pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.kept { ", kept from an earlier search" } else { "" };
        write!(f, "`{}` on {}: {} candidates{kept}", self.name, self.device, self.rows.len())?;
        let width = self.rows.iter().map(|row| row.candidate.to_string().chars().count()).max().unwrap_or(0);
        for (i, row) in self.rows.iter().enumerate() {
            let mark = if i == self.best { '*' } else { ' ' };
            write!(f, "\n{mark} {:<width$}  ", row.candidate)?;
            match &row.tried {
                Tried::Timed { median, stopped, .. } => {
                    write!(f, "{:>10.4} ms", median.as_secs_f64() * 1e3)?;
                    if let Some(bytes) = self.bytes {
                        write!(f, "{:>9.1} GB/s", bytes as f64 / median.as_secs_f64().max(1e-12) / 1e9)?;
                    }
                    f.write_str(if *stopped { "  stopped early" } else { "" })?;
                }
                Tried::Ran => f.write_str("runs; the simulator does not time")?,
                Tried::Skipped { reason } => {
                    write!(f, "skipped: {}", reason.lines().next().unwrap_or_default())?;
                }
            }
        }
        Ok(())
    }
}
