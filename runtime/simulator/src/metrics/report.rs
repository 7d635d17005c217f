//! The metrics of what was launched.

use super::advice::{self, Advice};
use super::counts::Counts;
use super::pattern::{BankMap, Pattern};
use super::work::Work;
use warpsmith_ir::ir::{Module, TensorFormat};

/// The costs of launches, by Rust line and in total. It prints as a table, which is the same for the same launch.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The kernel that was launched first.
    pub kernel: String,
    /// Launches, those of kernels by kernels included.
    pub launches: u64,
    /// Each line that did something, by file and line.
    pub rows: Vec<Row>,
    /// All lines together.
    pub total: Counts,
    /// Bytes of the sectors of global memory that are read at all: what a cache that loses nothing reads.
    pub footprint_read: u64,
    /// Bytes of the sectors of global memory that are written at all.
    pub footprint_written: u64,
    /// Requests that were counted before it was certain that no lane joins them; 0 where all is exact.
    pub forced: u64,
    /// The most expensive request of each line and kind of memory.
    pub patterns: Vec<Pattern>,
    /// How each line shares the banks of shared memory.
    pub banks: Vec<BankMap>,
}

/// The costs of a Rust line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// The kernel or device function that the line is in; empty where it is not known.
    pub function: String,
    /// The costs.
    pub counts: Counts,
}

impl Row {
    pub(super) fn new(file: &'static str, line: u32, counts: Counts) -> Self {
        Self { file, line, function: String::new(), counts }
    }

    /// The line's problems, with remedies.
    #[doc(hidden)]
    pub fn advice(&self) -> Vec<Advice> {
        let counts = &self.counts;
        let memory = advice::coalescing(counts).into_iter().chain(advice::conflicts(counts));
        memory.chain(advice::divergence(counts)).chain(advice::contention(counts)).collect()
    }
}

impl Report {
    /// Operations, those of the tensor cores by their elements, and the bytes that memory must move at least: [`Report::footprint_read`]
    /// and [`Report::footprint_written`].
    ///
    /// A kernel that fits no cache moves more; the other end is [`Counts::sector_bytes`], which no cache helps.
    pub fn work(&self) -> Work {
        let bytes = (self.footprint_read + self.footprint_written) as f64;
        let work = Work::new(self.total.flops() as f64, bytes);
        TensorFormat::ALL.into_iter().fold(work, |work, format| {
            work.with_tensor(format, self.total.tensor_operations_of(format) as f64)
        })
    }

    /// The row of a line; `None` if it did nothing that is counted.
    pub fn row(&self, file: &str, line: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.file == file && row.line == line)
    }

    /// Says which function each line is in: the last that begins at or before it in its file.
    #[doc(hidden)]
    pub fn with_functions(mut self, module: &Module) -> Self {
        for row in &mut self.rows {
            let before = module.all_functions().filter(|f| f.at.file == row.file && f.at.line <= row.line);
            let last = before.max_by_key(|function| function.at.line);
            row.function = last.map(|function| function.name.clone()).unwrap_or_default();
        }
        self
    }
}
