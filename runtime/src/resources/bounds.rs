//! The effect of launch bounds and a register cap on a kernel.

use std::fmt;

use super::Resources;
use crate::error::ReportError;
use crate::ir::KernelAttributes;

/// A kernel as compiled with its attributes, and as it would be without launch bounds and register cap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundsEffect {
    /// `launch_bounds`: the largest block, and resident blocks.
    pub launch_bounds: (Option<u32>, Option<u32>),
    /// `max_registers`.
    pub max_registers: Option<u32>,
    /// The resources as it is compiled.
    pub with: Resources,
    /// The resources as it would be compiled without either.
    pub without: Resources,
}

impl BoundsEffect {
    pub(crate) fn new(attributes: &KernelAttributes, with: Resources, without: Resources) -> Self {
        let launch_bounds = (attributes.max_threads, attributes.min_blocks);
        Self { launch_bounds, max_registers: attributes.max_registers, with, without }
    }

    /// Resident blocks of this many threads, with the attributes and without.
    ///
    /// # Errors
    /// The errors of [`Resources::occupancy`].
    pub fn blocks(&self, threads: u32) -> Result<[u32; 2], ReportError> {
        Ok([self.with.occupancy(threads)?.blocks, self.without.occupancy(threads)?.blocks])
    }

    fn attributes(&self) -> String {
        let mut said = Vec::new();
        match self.launch_bounds {
            (Some(threads), Some(blocks)) => said.push(format!("launch_bounds({threads}, {blocks})")),
            (Some(threads), None) => said.push(format!("launch_bounds({threads})")),
            (None, _) => {}
        }
        said.extend(self.max_registers.map(|registers| format!("max_registers({registers})")));
        said.join(", ")
    }
}

impl fmt::Display for BoundsEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (with, without) = (&self.with, &self.without);
        let attributes = self.attributes();
        if attributes.is_empty() {
            return write!(f, "kernel `{}` has neither launch bounds nor a register cap", with.kernel);
        }
        writeln!(f, "kernel `{}` for {}: {attributes}, and without", with.kernel, with.arch)?;
        writeln!(f, "  registers a thread   {:>6} {:>6}", with.registers, without.registers)?;
        let [stores, loads] = [
            [with, without].map(|r| r.spills.unwrap_or_default().stores),
            [with, without].map(|r| r.spills.unwrap_or_default().loads),
        ];
        writeln!(f, "  bytes spilled        {:>6} {:>6}", stores[0], stores[1])?;
        write!(f, "  bytes loaded again   {:>6} {:>6}", loads[0], loads[1])?;
        let threads = self.launch_bounds.0.unwrap_or(256);
        if let Ok([with, without]) = self.blocks(threads) {
            write!(f, "\n  blocks of {threads:>4}       {with:>6} {without:>6} on a multiprocessor")?;
        }
        with.warning().map_or(Ok(()), |warning| write!(f, "\nwarning: {warning}"))
    }
}
