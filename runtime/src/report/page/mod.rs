//! A page about one launch: source, memory, roofline and occupancy, as HTML and as text.
//!
//! What comes in is what a simulated launch was seen to do, the kernel's IR and CUDA, and its resources
//! where there is NVRTC. What goes out is one HTML file that names nothing outside itself and runs no
//! script, with its pictures as SVG, light or dark as the reader's browser is; or text for a terminal.
//!
//! A page is made where the kernel is: `kernel(…).report(&device)` in a test, an example or a program
//! (`examples/report.rs`). There is no command for it, because a command of ours would have to build the
//! user's crate and guess the arguments of the launch; the call has both.

mod access;
mod banks;
mod html;
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

use super::{Ceilings, Occupancy, ReportError, Resources, Roofline};
use crate::ir::{ExprKind, Module, VarKind, visit};
use crate::metrics::Report;

/// A page about one launch; see the module. [`Page::html`] and `Display` show it.
#[derive(Clone, Debug)]
pub struct Page {
    metrics: Report,
    /// Blocks of the grid and threads of a block.
    shape: [[u32; 3]; 2],
    listing: Listing,
    /// The shared arrays that each line names.
    arrays: Vec<Array>,
    /// Or why they are not known.
    resources: Result<(Resources, Occupancy), String>,
    ceilings: Ceilings,
    time: Option<Duration>,
}

/// A line that names a shared array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Array {
    name: String,
    file: &'static str,
    line: u32,
}

/// What a page is made of.
pub(crate) struct Parts<'a> {
    pub metrics: Report,
    pub module: &'a Module,
    /// The CUDA with `#line`.
    pub cuda: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub resources: Result<(Resources, Occupancy), String>,
}

impl Page {
    pub(crate) fn new(parts: Parts<'_>) -> Self {
        let Parts { metrics, module, cuda, grid, block, resources } = parts;
        // The device that the simulator models is the H200's generation; its ceilings are listed.
        let ceilings = Ceilings::known("NVIDIA H200").unwrap_or_else(|| Ceilings::new("unknown", f64::NAN));
        Self {
            metrics: metrics.with_functions(module),
            shape: [grid, block],
            listing: Listing::new(module, cuda),
            arrays: arrays(module),
            resources,
            ceilings,
            time: None,
        }
    }

    /// The metrics of the launch.
    pub fn metrics(&self) -> &Report {
        &self.metrics
    }

    /// Draws the roofline of another device; it is an H200's unless said.
    pub fn with_ceilings(self, ceilings: Ceilings) -> Self {
        Self { ceilings, ..self }
    }

    /// Shows how long a launch of the same shape and size took on a device, beside what its ceilings allow.
    ///
    /// Times are the GPU's: of [`crate::Event`], of a [`crate::Tuner`], or of a profiler.
    pub fn with_time(self, ceilings: Ceilings, time: Duration) -> Self {
        Self { ceilings, time: Some(time), ..self }
    }

    /// The launch under the ceilings.
    pub fn roofline(&self) -> Roofline {
        Roofline::new(self.ceilings.clone()).add(&self.metrics.kernel, self.metrics.work(), self.time)
    }

    /// The least time that the ceilings allow for the launch's bytes and operations.
    pub fn least_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.least_seconds()).unwrap_or_default()
    }

    fn least_seconds(&self) -> f64 {
        let work = self.metrics.work();
        let peak = self.ceilings.peaks.first().map_or(f64::INFINITY, |peak| peak.flops);
        (work.bytes / self.ceilings.bandwidth).max(work.flops / peak)
    }

    /// The page as one HTML file.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Writes [`Page::html`] to a file.
    ///
    /// # Errors
    /// [`ReportError::Write`] with the path and what the system says.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        std::fs::write(path, self.html())
            .map_err(|error| ReportError::Write { path: path.to_owned(), why: error.to_string() })
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
