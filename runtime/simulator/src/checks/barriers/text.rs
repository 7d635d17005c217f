//! The report as text.

use std::fmt;

use super::{Barrier, Barriers, Verdict};
use crate::simulator::{DataRace, Party, triple};

impl fmt::Display for Barriers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (needed, all) = (self.list.iter().filter(|b| b.verdict.is_needed()).count(), self.list.len());
        let s = if self.launches == 1 { "" } else { "es" };
        writeln!(
            f,
            "kernel `{}`: {} launch{s}, {needed} of {all} barriers needed",
            self.kernel, self.launches
        )?;
        let rows: Vec<(String, String)> =
            self.list.iter().map(|barrier| (barrier.place(), barrier.name())).collect();
        let width = |of: fn(&(String, String)) -> usize| rows.iter().map(of).max().unwrap_or(0);
        let widths = [width(|row| row.0.len()), width(|row| row.1.len())];
        for ((place, name), barrier) in rows.iter().zip(&self.list) {
            let [left, right] = widths;
            writeln!(f, "{place:left$}  {name:right$}  {}", barrier.verdict)?;
        }
        Ok(())
    }
}

impl Barrier {
    /// Where it is: the file's name, not its path, and the line.
    fn place(&self) -> String {
        let at = self.synchronisation.at;
        place(at.file, at.line)
    }

    /// What it is, and which of those on the line.
    fn name(&self) -> String {
        match self.synchronisation.nth {
            0 => self.synchronisation.to_string(),
            n => format!("{} #{}", self.synchronisation, n + 1),
        }
    }
}

fn place(file: &str, line: u32) -> String {
    format!("{}:{line}", file.rsplit(['/', '\\']).next().unwrap_or(file))
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::NotReached => write!(f, "not reached: no thread came to it"),
            Verdict::Redundant => {
                write!(f, "redundant: no data race, no fault and no other result without it")
            }
            Verdict::Unseen => write!(
                f,
                "unseen: no data race without it; what atomics could see of each other, the simulator does not show"
            ),
            Verdict::Race(race) => {
                let DataRace { memory, first, second, .. } = &**race;
                write!(f, "needed: without it, {} and {}, {memory} memory", party(first), party(second))
            }
            Verdict::Fault(fault) => write!(f, "needed: without it, {fault}"),
            Verdict::OtherResult(what) => write!(f, "needed: without it, {what}"),
        }
    }
}

/// One of two accesses that race, in a few words.
fn party(party: &Party) -> String {
    let (thread, block) = (triple(&party.thread), triple(&party.block));
    format!("thread {thread} of block {block} {} at {}", party.does, place(&party.file, party.line))
}
