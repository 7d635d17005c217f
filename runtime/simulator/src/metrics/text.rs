//! The report as text.

use std::collections::BTreeSet;
use std::fmt;

use warpsmith_ir::ir::TensorFormat;

use super::advice::Advice;
use super::counts::{Atomics, Banks, Bulk, Counts, Traffic};
use super::report::{Report, Row};
use crate::simulator::Operation;

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
        for table in TABLES {
            table.write(f, &all)?;
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
        let tensor = match self.total.tensor_operations() {
            0 => String::new(),
            operations => format!("operations of tensor cores {operations}; "),
        };
        writeln!(
            f,
            "FLOPs {flops}; {tensor}bytes of all sectors {moved}, of distinct sectors {} read and {} written",
            self.footprint_read, self.footprint_written
        )?;
        let work = self.work();
        if work.operations() > 0.0 && work.bytes > 0.0 {
            let [each, once] = [moved as f64, work.bytes].map(|bytes| work.operations() / bytes);
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

/// The columns of a line in a table, after its place.
type Cells = [String; 6];

/// A table: its heading with those of the columns, and the rows of a line; none where it has nothing.
struct Table {
    heading: [&'static str; 7],
    cells: fn(&Counts) -> Vec<Cells>,
}

const TABLES: [Table; 7] = [
    Table {
        heading: ["global memory", "", "requests", "sectors", "ideal", "/request", "used %"],
        cells: global,
    },
    Table {
        heading: ["shared memory", "", "requests", "wavefronts", "ideal", "/request", "conflicts"],
        cells: shared,
    },
    Table { heading: ["copy engine", "", "copies", "bytes", "sectors", "/copy", ""], cells: bulk },
    Table { heading: ["barriers", "", "waits", "lanes", "delayed", "", ""], cells: waits },
    Table { heading: ["atomics", "", "requests", "lanes", "sectors", "turns", "contention"], cells: atomics },
    Table {
        heading: ["divergence", "", "branches", "divergent", "uniform %", "instr.", "lanes"],
        cells: divergence,
    },
    Table {
        heading: ["operations of threads", "", "add", "mul", "fma", "special", "integer"],
        cells: operations,
    },
];

impl Table {
    /// Writes the heading and the rows of all lines; nothing if none has any.
    fn write(&self, f: &mut fmt::Formatter<'_>, all: &[(String, &Counts)]) -> fmt::Result {
        let cells = all.iter().map(|(place, counts)| (place.as_str(), (self.cells)(counts)));
        let rows: Vec<(&str, Vec<Cells>)> = cells.filter(|(_, cells)| !cells.is_empty()).collect();
        let Some(longest) = rows.iter().map(|(place, _)| place.len()).max() else { return Ok(()) };
        let [heading, columns @ ..] = self.heading;
        let width = longest.max(heading.len());
        writeln!(f, "{heading}")?;
        line(f, width, "", columns)?;
        for (place, cells) in &rows {
            for cells in cells {
                line(f, width, place, cells.each_ref().map(String::as_str))?;
            }
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, width: usize, first: &str, cells: [&str; 6]) -> fmt::Result {
    let [a, b, c, d, e, g] = cells;
    // A long name takes of the next column, which it leaves empty or mostly so.
    let rest = 18 - a.len().clamp(7, 17);
    let text = format!("  {first:<width$}  {a:<7}{b:>rest$} {c:>11} {d:>11} {e:>9} {g:>9}");
    writeln!(f, "{}", text.trim_end())
}

fn global(counts: &Counts) -> Vec<Cells> {
    let sides = [("load", counts.loads), ("store", counts.stores), ("copy", counts.copies)];
    let cells = |(what, of): (&str, Traffic)| {
        [
            what.to_owned(),
            of.requests.to_string(),
            of.sectors.to_string(),
            of.ideal_sectors.to_string(),
            format!("{:.2}", of.sectors_per_request()),
            format!("{:.2}", of.efficiency()),
        ]
    };
    sides.into_iter().filter(|(_, of)| of.requests > 0).map(cells).collect()
}

fn shared(counts: &Counts) -> Vec<Cells> {
    let cells = |(what, of): (&str, Banks)| {
        [
            what.to_owned(),
            of.requests.to_string(),
            of.wavefronts.to_string(),
            of.ideal_wavefronts.to_string(),
            format!("{:.2}", of.wavefronts_per_request()),
            of.conflicts().to_string(),
        ]
    };
    let names = ["load", "store", "copy", "ldmatrix", "stmatrix"];
    names.into_iter().zip(counts.banks()).filter(|(_, of)| of.requests > 0).map(cells).collect()
}

fn bulk(counts: &Counts) -> Vec<Cells> {
    let cells = |(what, of): (&str, Bulk)| {
        [
            what.to_owned(),
            of.requests.to_string(),
            of.bytes.to_string(),
            of.sectors.to_string(),
            format!("{:.2}", of.bytes_per_request()),
            String::new(),
        ]
    };
    let names = ["load", "store", "reduce", "send"];
    names.into_iter().zip(counts.bulk()).filter(|(_, of)| of.requests > 0).map(cells).collect()
}

fn waits(counts: &Counts) -> Vec<Cells> {
    let of = counts.waits;
    if of.executed == 0 {
        return Vec::new();
    }
    let [a, b, c] = [const { String::new() }; 3];
    vec![[a, of.executed.to_string(), of.lanes.to_string(), of.delayed.to_string(), b, c]]
}

fn atomics(counts: &Counts) -> Vec<Cells> {
    let sides = [("global", counts.atomics), ("shared", counts.shared_atomics)];
    let cells = |(what, of): (&str, Atomics)| {
        [
            what.to_owned(),
            of.requests.to_string(),
            of.lanes.to_string(),
            of.sectors.to_string(),
            of.turns.to_string(),
            of.contention.to_string(),
        ]
    };
    sides.into_iter().filter(|(_, of)| of.requests > 0).map(cells).collect()
}

fn divergence(counts: &Counts) -> Vec<Cells> {
    let (branches, instructions) = (counts.branches, counts.instructions());
    if instructions.warps == 0 {
        return Vec::new();
    }
    vec![[
        String::new(),
        branches.executed.to_string(),
        branches.divergent.to_string(),
        format!("{:.2}", branches.efficiency()),
        instructions.warps.to_string(),
        format!("{:.2}", counts.active_lanes()),
    ]]
}

/// A row for each width of floats, one for integers, and one for the multiply-adds of the tensor cores on each format.
fn operations(counts: &Counts) -> Vec<Cells> {
    let widths: BTreeSet<u8> = counts.work.keys().filter_map(|work| bits(*work)).collect();
    let threads = |work: Operation| counts.work.get(&work).map_or(0, |executed| executed.threads);
    let floats = |bits: u8| {
        [
            format!("f{bits}"),
            threads(Operation::FloatAdd(bits)).to_string(),
            threads(Operation::FloatMul(bits)).to_string(),
            threads(Operation::FloatFma(bits)).to_string(),
            threads(Operation::FloatSpecial(bits)).to_string(),
            String::new(),
        ]
    };
    let integers = threads(Operation::Integer) + threads(Operation::Convert);
    let mut cells: Vec<Cells> = widths.into_iter().map(floats).collect();
    if integers > 0 {
        let [a, b, c, d] = [const { String::new() }; 4];
        cells.push(["int".to_owned(), a, b, c, d, integers.to_string()]);
    }
    let tensor = |format: TensorFormat| {
        let products = counts.tensor_operations_of(format) / 2;
        let [a, b, c, d] = [const { String::new() }; 4];
        (products > 0).then(|| [format!("tensor {}", format.name()), a, b, products.to_string(), c, d])
    };
    cells.extend(TensorFormat::ALL.into_iter().filter_map(tensor));
    cells
}

/// The width of an operation of floats.
fn bits(work: Operation) -> Option<u8> {
    match work {
        Operation::FloatAdd(bits)
        | Operation::FloatMul(bits)
        | Operation::FloatFma(bits)
        | Operation::FloatSpecial(bits) => Some(bits),
        Operation::Integer | Operation::Convert | Operation::Tensor { .. } => None,
    }
}
