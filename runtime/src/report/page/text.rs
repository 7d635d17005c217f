//! The page as text, for a terminal.

use std::fmt::{self, Write};

use super::listing::ListedFunction;
use super::{Page, achieved, occupancy, roofline};
use crate::metrics::Counts;

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}.\n", self.shape_text())?;
        f.write_str(&self.counted())?;
        writeln!(f, "{}", self.explanation)?;
        write!(f, "{}", achieved::text(self))?;
        writeln!(f, "{}", roofline::verdict(self))?;
        if roofline::is_drawn(&self.metrics.work()) {
            writeln!(f, "{}", self.roofline())?;
        }
        match &self.resources {
            Ok((resources, occupancy)) => write!(f, "{resources}\n{occupancy}"),
            Err(why) => write!(f, "{}", occupancy::unknown(why)),
        }
    }
}

impl Page {
    /// The part of the text that is counted: the source with its figures, and the metrics.
    ///
    /// It is the same on every machine, with NVRTC and without, and therefore right for snapshots.
    pub fn counted(&self) -> String {
        let mut out = String::new();
        for part in &self.listing.functions {
            // A string takes everything.
            let _ = self.function(&mut out, part);
        }
        let _ = writeln!(out, "{}", self.metrics);
        out
    }

    fn function(&self, f: &mut impl Write, part: &ListedFunction) -> fmt::Result {
        let samples = if self.samples.is_some() { format!("{:>10} ", "samples") } else { String::new() };
        writeln!(f, "{:>10} {:>10} {:>10} {samples} {}", "instr.", "sectors", "wavefr.", part.file)?;
        for line in &part.lines {
            let counts = self.metrics.row(part.file, line.number).map(|row| &row.counts);
            let mut figures = vec![
                counts.map(|counts| counts.instructions().warps),
                counts.map(Counts::sectors),
                counts.map(Counts::wavefronts),
            ];
            if let Some(samples) = &self.samples {
                figures.push(samples.at(part.file, line.number).map(|of| of.samples));
            }
            let mut text = String::new();
            for figure in figures {
                let cell = figure.filter(|figure| *figure > 0).map_or(String::new(), |n| n.to_string());
                text.push_str(&format!("{cell:>10} "));
            }
            let rust = line.rust.as_deref().unwrap_or("");
            writeln!(f, "{}", format!("{text} {:>4} {rust}", line.number).trim_end())?;
        }
        writeln!(f)
    }
}
