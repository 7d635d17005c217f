//! A page about one launch: source, memory, checks, loops, roofline and occupancy, as HTML and as text.
//!
//! The metrics of a simulated launch come in, with the kernel's IR, its CUDA, and its resources where NVRTC is installed.
//! One HTML file goes out, which refers to nothing outside itself and runs no script. Its pictures are SVG, and it follows
//! the browser's light or dark mode. It also prints as text for a terminal.
//!
//! A page is made where the kernel is: `kernel(…).report(&device)` in a test, an example or a program
//! (`examples/report.rs`). [`Directory`](super::Directory) collects the pages of all launches of a program.

mod access;
mod achieved;
mod banks;
pub(super) mod head;
mod html;
pub(super) mod index;
mod listing;
mod occupancy;
mod roofline;
mod style;
mod svg;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use listing::Listing;

use std::path::Path;
use std::time::Duration;

use super::{Ceilings, Occupancy, ReportError, Resources, Roofline, Samples, Timing};
use crate::explained::Explanation;
use crate::ir::{ExprKind, Module, VarKind, visit};
use crate::metrics::Report;

/// A page about one launch; see the module. [`Page::html`] and `Display` show it.
#[derive(Clone, Debug)]
pub struct Page {
    metrics: Report,
    /// Blocks of the grid and threads of a block.
    shape: [[u32; 3]; 2],
    listing: Listing,
    /// A hash of the CUDA without `#line`, which tells specializations apart.
    hash: u32,
    /// The shared arrays that each line names.
    arrays: Vec<Array>,
    /// Or the reason why they are not known.
    resources: Result<(Resources, Occupancy), String>,
    /// The proofs of the launch, its loops, and the cost of its checks.
    explanation: Explanation,
    /// The multiprocessors of the device, or of the device that the simulator models.
    multiprocessors: u32,
    ceilings: Ceilings,
    timing: Option<Timing>,
    samples: Option<Samples>,
}

/// A line that names a shared array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Array {
    name: String,
    file: &'static str,
    line: u32,
}

/// The parts of a page.
pub(crate) struct Parts<'a> {
    pub metrics: Report,
    pub module: &'a Module,
    /// The CUDA with `#line`.
    pub cuda: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub multiprocessors: u32,
    pub resources: Result<(Resources, Occupancy), String>,
    pub explanation: Explanation,
}

impl Page {
    pub(crate) fn new(parts: Parts<'_>) -> Self {
        let Parts { metrics, module, cuda, grid, block, multiprocessors, resources, explanation } = parts;
        // The device that the simulator models is the H200's generation; its ceilings are listed.
        let ceilings = Ceilings::known("NVIDIA H200").unwrap_or_else(|| Ceilings::new("unknown", f64::NAN));
        Self {
            metrics: metrics.with_functions(module),
            shape: [grid, block],
            listing: Listing::new(module, cuda),
            hash: hash(cuda),
            arrays: arrays(module),
            resources,
            explanation,
            multiprocessors,
            ceilings,
            timing: None,
            samples: None,
        }
    }

    /// The metrics of the launch.
    pub fn metrics(&self) -> &Report {
        &self.metrics
    }

    /// Draws the roofline of another device; default: an H200.
    pub fn with_ceilings(self, ceilings: Ceilings) -> Self {
        Self { ceilings, ..self }
    }

    /// Shows how long a launch of the same shape and size took on a device, beside what its ceilings allow.
    ///
    /// Times must be from a GPU: from [`crate::Event`], a [`crate::Tuner`], or a profiler. [`crate::Launch::report`] on a
    /// GPU measures them itself.
    pub fn with_time(self, ceilings: Ceilings, time: Duration) -> Self {
        let timing = Timing::new(&ceilings.name, vec![time]);
        self.with_timing(ceilings, timing)
    }

    /// Adds the time of launches, beside the time that the ceilings of their device allow.
    pub fn with_timing(self, ceilings: Ceilings, timing: Timing) -> Self {
        Self { ceilings, timing: Some(timing), ..self }
    }

    /// Shows beside each line how many warps were sampled there on a GPU, and why they stalled.
    pub fn with_samples(self, samples: Samples) -> Self {
        Self { samples: Some(samples), ..self }
    }

    /// Shows another explanation of the launch: with times of its checks, or for another device.
    pub fn with_explanation(self, explanation: Explanation) -> Self {
        Self { explanation, ..self }
    }

    /// The explanation of the launch: its proofs, its loops, and the cost of its checks.
    pub fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// How long launches took, where that is known.
    pub fn timing(&self) -> Option<&Timing> {
        self.timing.as_ref()
    }

    /// The launch under the ceilings.
    pub fn roofline(&self) -> Roofline {
        let time = self.timing.as_ref().map(|timing| timing.median);
        Roofline::new(self.ceilings.clone()).add(&self.metrics.kernel, self.metrics.work(), time)
    }

    /// The least time that the ceilings allow for the launch's bytes and operations.
    pub fn least_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.least_seconds()).unwrap_or_default()
    }

    fn least_seconds(&self) -> f64 {
        self.ceilings.least_seconds(&self.metrics.work())
    }

    /// The page as one HTML file.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Writes [`Page::html`] to a file.
    ///
    /// # Errors
    /// [`ReportError::Write`] with the path and the system's message.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        std::fs::write(path, self.html())
            .map_err(|error| ReportError::Write { path: path.to_owned(), why: error.to_string() })
    }

    /// A name for files that no other kernel, specialization or shape has.
    pub(super) fn file_stem(&self) -> String {
        let extents = |[x, y, z]: [u32; 3]| match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x}x{y}"),
            _ => format!("{x}x{y}x{z}"),
        };
        let [grid, block] = self.shape.map(extents);
        format!("{}-{grid}-{block}-{:08x}", self.metrics.kernel, self.hash)
    }

    /// The shared arrays that a line names, as `tile`; the line itself where it names none.
    fn array_at(&self, file: &str, line: u32) -> String {
        let names: Vec<&str> = self
            .arrays
            .iter()
            .filter(|array| array.file == file && array.line == line)
            .map(|array| array.name.as_str())
            .collect();
        if names.is_empty() { "shared memory".to_owned() } else { names.join(", ") }
    }
}

/// A hash of CUDA that is the same wherever in its file the kernel stands.
fn hash(cuda: &str) -> u32 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    let code = cuda.lines().filter(|line| !line.trim_start().starts_with("#line"));
    code.for_each(|line| hasher.update(line.as_bytes()));
    (hasher.digest() >> 32) as u32
}

/// The shared arrays that each line names, once each.
fn arrays(module: &Module) -> Vec<Array> {
    let mut arrays = Vec::new();
    for function in module.all_functions() {
        visit::stmts(&function.body, &mut |stmt| {
            for operand in visit::operands(stmt) {
                visit::expr(operand, &mut |e| {
                    let ExprKind::Var(id) = &e.kind else { return };
                    let var = function.var(*id);
                    if matches!(var.kind, VarKind::Shared { .. } | VarKind::DynamicShared) {
                        let array = Array { name: var.name.clone(), file: stmt.at.file, line: stmt.at.line };
                        if !arrays.contains(&array) {
                            arrays.push(array);
                        }
                    }
                });
            }
        });
    }
    arrays
}

/// The name of a file without its path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
