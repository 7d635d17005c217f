//! A result as the text that is kept on disk, and the key that it is found by.

use std::time::Duration;

use super::{Candidate, Row, Tried};

/// Raised whenever the text of a result, or the measurement, changes.
const VERSION: u32 = 1;

/// The key of a result: every part, behind its length.
pub(super) fn key(parts: &[&str]) -> String {
    let parts: String = parts.iter().map(|part| format!("{} {part}\n", part.len())).collect();
    format!("tuned {VERSION} {}\n{parts}", env!("CARGO_PKG_VERSION"))
}

/// All sizes up to a power of two, and above half of it.
pub(super) fn bucket(unit: &str, size: u64) -> String {
    format!("{unit} up to 2^{}", size.max(1).next_power_of_two().ilog2())
}

/// Every row on a line of its own.
pub(super) fn encode(rows: &[Row]) -> String {
    let line = |row: &Row| match &row.tried {
        Tried::Timed { median, rounds, stopped } => {
            format!("timed\t{}\t{rounds}\t{stopped}\t{}\n", median.as_nanos(), row.candidate)
        }
        Tried::Ran => format!("ran\t{}\n", row.candidate),
        Tried::Skipped { reason } => {
            let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("skipped\t{reason}\t{}\n", row.candidate)
        }
    };
    rows.iter().map(line).collect()
}

/// The result from a text that [`encode`] wrote for the same candidates; `None` for any other text.
pub(super) fn decode(text: &str, candidates: &[Candidate]) -> Option<Vec<Row>> {
    let mut lines = text.lines();
    let rows: Option<Vec<Row>> = candidates.iter().map(|candidate| row(lines.next()?, candidate)).collect();
    rows.filter(|rows| lines.next().is_none() && super::outcome::best(rows).is_some())
}

fn row(line: &str, candidate: &Candidate) -> Option<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let tried = match fields[..] {
        ["timed", median, rounds, stopped, _] => Tried::Timed {
            median: Duration::from_nanos(median.parse().ok()?),
            rounds: rounds.parse().ok()?,
            stopped: stopped.parse().ok()?,
        },
        ["skipped", reason, _] => Tried::Skipped { reason: reason.to_owned() },
        _ => return None,
    };
    let same = fields.last().is_some_and(|text| *text == candidate.to_string());
    same.then(|| Row { candidate: candidate.clone(), tried })
}
