//! Samples of Nsight Compute, by Rust line: where the warps of a GPU spent their time.
//!
//! The CSV of its source page comes in; a number of samples for each line goes out. Columns are found by name, so
//! new ones do no harm.

use std::collections::BTreeMap;
use std::fmt;

use super::ReportError;

/// The column that holds the samples, in the order in which they are looked for.
const SAMPLES: [&str; 2] = ["Warp Stall Sampling (All Samples)", "# Samples"];
/// The beginning of a reason's column name.
const REASON: &str = "stall_";

/// Samples of warps by Rust line: where a kernel's time goes on a GPU.
///
/// At fixed intervals, Nsight Compute looks at a warp of each scheduler and notes its line, and why it waits.
///
/// ```text
/// WARPSMITH_DEBUGINFO=lines ncu --section SourceCounters --kernel-name saxpy --export samples PROGRAM
/// ncu --import samples.ncu-rep --page source --print-source cuda,sass --csv > samples.csv
/// ```
///
/// Source: Nsight Compute CLI, `--page source`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    lines: BTreeMap<(String, u32), Sampled>,
}

/// The samples of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sampled {
    /// How many.
    pub samples: u64,
    /// The samples by reason, with the names of Nsight Compute without `stall_`: `long_sb`, `barrier`.
    pub reasons: BTreeMap<String, u64>,
}

impl Samples {
    /// Reads the CSV that `ncu --page source --print-source cuda,sass --csv` prints of a kernel; several launches
    /// are added up.
    ///
    /// # Errors
    /// [`ReportError::Samples`] if it has no samples of the kernel, or if a column is missing, which it names.
    pub fn of_csv(text: &str, kernel: &str) -> Result<Self, ReportError> {
        let refused = |why: String| ReportError::Samples { kernel: kernel.to_owned(), why };
        let (mut samples, mut file) = (Self::default(), String::new());
        let (mut columns, mut others) = (None, Vec::new());
        let mut of_kernel = false;
        for line in text.lines() {
            let cells = cells(line);
            match cells.first().map(String::as_str) {
                Some("File Path") => file = cells.get(1).cloned().unwrap_or_default(),
                Some("Function Name" | "Kernel Name") => {
                    let name = function(cells.get(1).map_or("", String::as_str));
                    of_kernel = name == kernel;
                    columns = None;
                    if !of_kernel && !others.contains(&name.to_owned()) {
                        others.push(name.to_owned());
                    }
                }
                Some("Line No") if of_kernel => columns = Some(Columns::new(&cells).map_err(refused)?),
                Some("Address" | "#") if of_kernel && cells.iter().any(|cell| cell == "Source") => {
                    return Err(refused(
                        "it has no lines of the source: say `--print-source cuda,sass`".into(),
                    ));
                }
                _ => {
                    if let Some(columns) = &columns {
                        samples.add(&file, columns, &cells);
                    }
                }
            }
        }
        if samples.lines.is_empty() {
            return Err(refused(nothing(&others)));
        }
        Ok(samples)
    }

    /// The samples of a line; `None` if there are none. Paths are the same if one ends with the other.
    pub fn at(&self, file: &str, line: u32) -> Option<&Sampled> {
        self.lines.iter().find(|((known, at), _)| *at == line && same_file(known, file)).map(|(_, of)| of)
    }

    /// The samples of all lines.
    pub fn total(&self) -> u64 {
        self.lines.values().map(|line| line.samples).sum()
    }

    /// Adds a row of a line; those of its instructions have none, and are part of it.
    fn add(&mut self, file: &str, columns: &Columns, cells: &[String]) {
        let Some(line) = cells.first().and_then(|cell| cell.parse().ok()) else { return };
        let count =
            |at: usize| cells.get(at).and_then(|cell| cell.replace(',', "").parse().ok()).unwrap_or(0u64);
        let samples = count(columns.samples);
        if samples == 0 {
            return;
        }
        let of = self.lines.entry((file.to_owned(), line)).or_default();
        of.samples += samples;
        for (reason, at) in &columns.reasons {
            let waits = count(*at);
            if waits > 0 {
                *of.reasons.entry(reason.clone()).or_default() += waits;
            }
        }
    }
}

impl Sampled {
    /// The reasons, the most frequent first.
    pub fn by_reason(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> =
            self.reasons.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        all
    }
}

impl fmt::Display for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} samples", self.samples)?;
        for (i, (reason, count)) in self.by_reason().into_iter().take(4).enumerate() {
            write!(f, "{} {reason} {count}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// The positions of the figures in a row.
struct Columns {
    samples: usize,
    reasons: Vec<(String, usize)>,
}

impl Columns {
    fn new(cells: &[String]) -> Result<Self, String> {
        let at = |name: &&str| cells.iter().position(|cell| cell == *name);
        let samples = SAMPLES.iter().find_map(at).ok_or_else(|| {
            format!("it has no column `{}`: profile with `--section SourceCounters`", SAMPLES[0])
        })?;
        let reasons = cells.iter().enumerate().filter(|(_, cell)| !cell.contains("(Not"));
        let reasons = reasons.filter_map(|(at, cell)| Some((cell.strip_prefix(REASON)?.to_owned(), at)));
        Ok(Self { samples, reasons: reasons.collect() })
    }
}

/// Why there are no samples.
fn nothing(others: &[String]) -> String {
    match others {
        [] => "it is not what `ncu --page source --print-source cuda,sass --csv` prints".into(),
        [..] => format!(
            "it has no samples of its lines, but functions {}; compile with `WARPSMITH_DEBUGINFO=lines`, and give the kernel \
             enough work",
            others.join(", ")
        ),
    }
}

/// The name of a function without its parameters.
fn function(text: &str) -> &str {
    text.split('(').next().unwrap_or(text).trim()
}

/// Returns whether two paths name one file, as far as the shorter one tells.
fn same_file(a: &str, b: &str) -> bool {
    let parts = |path: &str| path.replace('\\', "/").split('/').map(str::to_owned).rev().collect::<Vec<_>>();
    parts(a).iter().zip(&parts(b)).all(|(a, b)| a == b)
}

/// The cells of a line of CSV; a quote in quotes is written twice.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        let last = cells.len() - 1;
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cells[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells[last].push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of Nsight Compute's output: the rows of lines are the sums of those of their instructions.
    const CSV: &str = "\
==PROF== Connected to process 7
\"File Path\",\"/somewhere/examples/report.rs\"
\"Function Name\",\"scaled_transpose\"
\"Line No\",\"Source\",\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\",\"# Samples\",\"stall_barrier\",\"stall_long_sb\",\"stall_long_sb (Not Issued)\"
\"24\",\"    tile[row][col] = scale * x[\"\"a, b\"\"];\",\"-\",\"-\",\"1,120\",\"1,120\",\"0\",\"900\",\"900\"
\"\",\"\",\"0x10\",\"LDG.E R0, [R2]\",\"1,000\",\"1000\",\"0\",\"900\",\"900\"
\"25\",\"    sync_threads();\",\"-\",\"-\",\"80\",\"80\",\"75\",\"0\",\"0\"
\"26\",\"    y\",\"-\",\"-\",\"0\",\"0\",\"0\",\"0\",\"0\"
\"File Path\",\"/somewhere/examples/report.rs\"
\"Function Name\",\"other(float *)\"
\"Line No\",\"Source\",\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\"
\"24\",\"\",\"-\",\"-\",\"7\"
\"File Path\",\"/somewhere/examples/report.rs\"
\"Function Name\",\"scaled_transpose\"
\"Line No\",\"Source\",\"Address\",\"Source\",\"stall_barrier\",\"# Samples\"
\"25\",\"    sync_threads();\",\"-\",\"-\",\"5\",\"20\"
";

    #[test]
    fn lines_have_the_samples_of_all_launches_of_their_kernel() {
        let samples = Samples::of_csv(CSV, "scaled_transpose").expect("it is such a CSV");
        assert_eq!(samples.total(), 1220);
        let at = |line| samples.at("examples/report.rs", line);
        assert_eq!(at(24).map(|of| (of.samples, of.by_reason())), Some((1120, vec![("long_sb", 900)])));
        assert_eq!(at(25).map(ToString::to_string), Some("100 samples: barrier 80".into()));
        assert_eq!((at(26), samples.at("tests/report.rs", 24)), (None, None));
        assert_eq!(Samples::of_csv(CSV, "other").map(|other| other.total()), Ok(7));
    }

    #[test]
    fn what_is_missing_is_said_with_the_way_out() {
        let check = |text: &str, kernel: &str, expected: &str| {
            let refused = Samples::of_csv(text, kernel).expect_err("something is missing").to_string();
            assert!(
                refused.contains(&format!("kernel `{kernel}`")) && refused.contains(expected),
                "{refused}"
            );
        };
        check(CSV, "saxpy", "functions scaled_transpose, other; compile with `WARPSMITH_DEBUGINFO=lines`");
        check("a,b\n", "saxpy", "it is not what `ncu --page source");
        let without = CSV.replace("Warp Stall Sampling (All Samples)", "a").replace("# Samples", "b");
        check(&without, "scaled_transpose", "`--section SourceCounters`");
        let sass = "\"Kernel Name\",\"saxpy\"\n\"#\",\"Address\",\"Source\",\"# Samples\"\n\"1\",\"0\",\"MOV\",\"2\"\n";
        check(sass, "saxpy", "`--print-source cuda,sass`");
    }
}
