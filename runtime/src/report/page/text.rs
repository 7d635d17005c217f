//! The page as text, for a terminal.

use std::fmt;

use super::listing::Part;
use super::{Page, occupancy, roofline};

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}.\n", self.shape_text())?;
        for part in &self.listing.functions {
            self.function(f, part)?;
        }
        writeln!(f, "{}", self.metrics)?;
        writeln!(f, "{}", roofline::verdict(self))?;
        if self.metrics.total.flops() > 0 && self.metrics.work().bytes > 0.0 {
            writeln!(f, "{}", self.roofline())?;
        }
        match &self.resources {
            Ok((resources, occupancy)) => write!(f, "{resources}\n{occupancy}"),
            Err(why) => write!(f, "{}", occupancy::unknown(why)),
        }
    }
}

impl Page {
    fn function(&self, f: &mut fmt::Formatter<'_>, part: &Part) -> fmt::Result {
        writeln!(f, "{:>10} {:>10} {:>10}  {}", "instr.", "sectors", "wavefr.", part.file)?;
        for line in &part.lines {
            let counts = self.metrics.row(part.file, line.number).map(|row| &row.counts);
            let cell = |value: Option<u64>| {
                value.filter(|value| *value > 0).map_or(String::new(), |v| v.to_string())
            };
            let text = format!(
                "{:>10} {:>10} {:>10}  {:>4} {}",
                cell(counts.map(|counts| counts.instructions().warps)),
                cell(counts.map(|counts| counts.sectors())),
                cell(counts.map(|counts| counts.wavefronts())),
                line.number,
                line.rust.as_deref().unwrap_or("")
            );
            writeln!(f, "{}", text.trim_end())?;
        }
        writeln!(f)
    }
}
