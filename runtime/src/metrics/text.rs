//! The report as text.

use std::fmt;

use super::advice::Advice;
use super::counts::{Counts, Executed};
use super::report::{Report, Row};
use crate::simulator::Work;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.launches == 1 { "" } else { "es" };
        writeln!(f, "kernel `{}`: {} launch{s}", self.kernel, self.launches)?;
        if self.forced > 0 {
            writeln!(
                f,
                "note: {} requests were counted before all lanes had come; figures are upper bounds",
                self.forced
            )?;
        }
        let lines = self.rows.iter().map(|row| (place(row), &row.counts));
        let total = [("total".to_owned(), &self.total)];
        let all: Vec<(String, &Counts)> = lines.chain(total).collect();
        for table in [global, shared, atomics, divergence, operations] {
            table(f, &all)?;
        }
        self.sums(f)?;
        for row in &self.rows {
            for Advice { what, help } in row.advice() {
                writeln!(f, "{}: {what}; {help}", place(row))?;
            }
        }
        Ok(())
    }
}

impl Report {
    fn sums(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (flops, moved) = (self.total.flops(), self.total.sector_bytes());
        writeln!(
            f,
            "FLOPs {flops}; bytes of all sectors {moved}, of distinct sectors {} read and {} written",
            self.footprint_read, self.footprint_written
        )?;
        let least = self.footprint_read + self.footprint_written;
        if flops > 0 && least > 0 {
            let [each, once] = [moved, least].map(|bytes| flops as f64 / bytes as f64);
            writeln!(
                f,
                "arithmetic intensity {each:.3} FLOP/B without any cache, {once:.3} with one that loses nothing"
            )?;
        }
        Ok(())
    }
}

/// Where a row is: the file's name, not its path, and the line.
fn place(row: &Row) -> String {
    format!("{}:{}", row.file.rsplit(['/', '\\']).next().unwrap_or(row.file), row.line)
}

/// A heading, and a row for each line that has something; nothing if none has.
fn table(
    f: &mut fmt::Formatter<'_>,
    heading: [&str; 7],
    rows: impl Iterator<Item = (String, Vec<[String; 6]>)>,
) -> fmt::Result {
    let rows: Vec<(String, Vec<[String; 6]>)> = rows.filter(|(_, cells)| !cells.is_empty()).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let width = rows.iter().map(|(place, _)| place.len()).max().unwrap_or(0).max(heading[0].len());
    let line = |f: &mut fmt::Formatter<'_>, first: &str, cells: [&str; 6]| {
        let [a, b, c, d, e, g] = cells;
        let text = format!("  {first:<width$}  {a:<7} {b:>10} {c:>11} {d:>11} {e:>9} {g:>9}");
        writeln!(f, "{}", text.trim_end())
    };
    writeln!(f, "{}", heading[0])?;
    let [_, a, b, c, d, e, g] = heading;
    line(f, "", [a, b, c, d, e, g])?;
    for (place, cells) in &rows {
        for cells in cells {
            line(f, place, cells.each_ref().map(String::as_str))?;
        }
    }
    Ok(())
}

fn global(f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
    let heading = ["global memory", "", "requests", "sectors", "ideal", "/request", "used %"];
    table(
        f,
        heading,
        all.iter().map(|(place, counts)| {
            let sides = [("load", counts.loads), ("store", counts.stores), ("copy", counts.copies)];
            let sides = sides.into_iter().filter(|(_, of)| of.requests > 0);
            let cells = sides.map(|(what, of)| {
                [
                    what.to_owned(),
                    of.requests.to_string(),
                    of.sectors.to_string(),
                    of.ideal_sectors.to_string(),
                    format!("{:.2}", of.sectors_per_request()),
                    format!("{:.2}", of.efficiency()),
                ]
            });
            (place.clone(), cells.collect())
        }),
    )
}

fn shared(f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
    let heading = ["shared memory", "", "requests", "wavefronts", "ideal", "/request", "conflicts"];
    table(
        f,
        heading,
        all.iter().map(|(place, counts)| {
            let sides = [
                ("load", counts.shared_loads),
                ("store", counts.shared_stores),
                ("copy", counts.shared_copies),
            ];
            let sides = sides.into_iter().filter(|(_, of)| of.requests > 0);
            let cells = sides.map(|(what, of)| {
                [
                    what.to_owned(),
                    of.requests.to_string(),
                    of.wavefronts.to_string(),
                    of.ideal_wavefronts.to_string(),
                    format!("{:.2}", of.wavefronts_per_request()),
                    of.conflicts().to_string(),
                ]
            });
            (place.clone(), cells.collect())
        }),
    )
}

fn atomics(f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
    let heading = ["atomics", "", "requests", "lanes", "sectors", "turns", "contention"];
    table(
        f,
        heading,
        all.iter().map(|(place, counts)| {
            let sides = [("global", counts.atomics), ("shared", counts.shared_atomics)];
            let sides = sides.into_iter().filter(|(_, of)| of.requests > 0);
            let cells = sides.map(|(what, of)| {
                [
                    what.to_owned(),
                    of.requests.to_string(),
                    of.lanes.to_string(),
                    of.sectors.to_string(),
                    of.turns.to_string(),
                    of.contention.to_string(),
                ]
            });
            (place.clone(), cells.collect())
        }),
    )
}

fn divergence(f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
    let heading = ["divergence", "", "branches", "divergent", "uniform %", "instr.", "lanes"];
    table(
        f,
        heading,
        all.iter().map(|(place, counts)| {
            let (branches, instructions) = (counts.branches, counts.instructions());
            let cells = (instructions.warps > 0).then(|| {
                [
                    String::new(),
                    branches.executed.to_string(),
                    branches.divergent.to_string(),
                    format!("{:.2}", branches.efficiency()),
                    instructions.warps.to_string(),
                    format!("{:.2}", counts.active_lanes()),
                ]
            });
            (place.clone(), cells.into_iter().collect())
        }),
    )
}

fn operations(f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
    let heading = ["operations of threads", "", "add", "mul", "fma", "special", "integer"];
    table(
        f,
        heading,
        all.iter().map(|(place, counts)| {
            let mut widths: Vec<u8> = counts.work.keys().filter_map(|work| bits(*work)).collect();
            widths.sort_unstable();
            widths.dedup();
            let threads =
                |work: Work| counts.work.get(&work).map_or(0, |executed: &Executed| executed.threads);
            let floats = |bits: u8| {
                [
                    format!("f{bits}"),
                    threads(Work::FloatAdd(bits)).to_string(),
                    threads(Work::FloatMul(bits)).to_string(),
                    threads(Work::FloatFma(bits)).to_string(),
                    threads(Work::FloatSpecial(bits)).to_string(),
                    String::new(),
                ]
            };
            let mut cells: Vec<[String; 6]> = widths.into_iter().map(floats).collect();
            let integers = threads(Work::Integer) + threads(Work::Convert);
            if integers > 0 {
                let [a, b, c, d] = [const { String::new() }; 4];
                cells.push(["int".to_owned(), a, b, c, d, integers.to_string()]);
            }
            (place.clone(), cells)
        }),
    )
}

/// The width of an operation of floats.
fn bits(work: Work) -> Option<u8> {
    match work {
        Work::FloatAdd(bits) | Work::FloatMul(bits) | Work::FloatFma(bits) | Work::FloatSpecial(bits) => {
            Some(bits)
        }
        Work::Integer | Work::Convert => None,
    }
}
