//! The proofs of a launch about its kernel: the CUDA that is compiled for it, and why each index is checked or not.

use std::collections::BTreeMap;
use std::fmt;

use super::{Launch, conditions};
use crate::compile::{self, kernel::Kernel};
use crate::error::Result;
use crate::ir::{Condition, Location, Proof};
use crate::passes::{self, Finding};
use crate::validate::ValidModule;

/// Why each index of a kernel is in bounds or checked, in one launch.
///
/// Its [`Display`](fmt::Display) is a text by Rust lines.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The kernel.
    pub kernel: &'static str,
    /// Its indices, in the order of the text, and those of the device functions that it calls.
    pub indices: Vec<ExplainedIndex>,
    /// Conditions that this launch fails, by which more of its index arithmetic would be that of `int`.
    pub wide: Vec<String>,
}

/// An index, a range, or a slice seen as one of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedIndex {
    /// The kernel or the device function that it stands in.
    pub function: String,
    /// Where.
    pub at: Location,
    /// The Rust text: `x[i + 1]`.
    pub text: String,
    /// Loops around it in its function.
    pub loops: usize,
    /// The reason why it is in bounds, or the missing fact.
    pub why: Why,
}

/// Why an index is in bounds or checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The kernel's text proves it for every launch: guards, bounds of loops, extents, types.
    Text,
    /// This launch fulfils these conditions, which prove it.
    Launch(Vec<String>),
    /// It is checked, because this launch fails these conditions, which would prove it.
    Failed(Vec<String>),
    /// It is checked; these together would prove it.
    Checked(Vec<String>),
}

impl Explanation {
    /// Indices that are checked on the GPU.
    pub fn checked(&self) -> impl Iterator<Item = &ExplainedIndex> {
        self.indices.iter().filter(|index| index.is_checked())
    }

    fn new(kernel: &'static str, module: &ValidModule, fulfilled: u64, fits: u64) -> Self {
        let conditions = &module.module().conditions;
        let found = passes::explain(module);
        let indices = found.into_iter().map(|finding| explained(finding, conditions, fulfilled)).collect();
        let conditions = module.module().fits.iter().enumerate();
        let failed = conditions.filter(|(i, _)| fits >> i & 1 == 0);
        let wide = failed.map(|(_, condition)| condition.to_string()).collect();
        Explanation { kernel, indices, wide }
    }
}

impl ExplainedIndex {
    /// Returns whether it is compared with its length on the GPU.
    pub fn is_checked(&self) -> bool {
        matches!(self.why, Why::Failed(_) | Why::Checked(_))
    }
}

fn explained(finding: Finding, conditions: &[Condition], fulfilled: u64) -> ExplainedIndex {
    let named = |bits: u64| {
        let own = conditions.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        own.map(|(_, condition)| condition.to_string()).collect()
    };
    let Finding { function, at, text, loops, proof, missing } = finding;
    let why = match proof {
        Proof::Text => Why::Text,
        Proof::Launch(bits) if bits & !fulfilled == 0 => Why::Launch(named(bits)),
        Proof::Launch(bits) => Why::Failed(named(bits & !fulfilled)),
        Proof::Open => Why::Checked(missing),
    };
    ExplainedIndex { function, at, text, loops, why }
}

impl<K: Kernel> Launch<'_, K> {
    /// The CUDA C++ that this launch compiles: with the bounds checks that neither the kernel's text nor the launch's
    /// shape and arguments prove. Nothing is launched.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line; a missing or invalid shape.
    pub fn cuda_source(&self) -> Result<String> {
        let (version, module) = (self.version()?, K::module(&self.comptime)?);
        Ok(compile::print(&module, version, false)?.code)
    }

    /// Why each index of the kernel is in bounds in this launch, or what would prove it. Nothing is launched.
    ///
    /// # Errors
    /// The errors of [`Launch::cuda_source`].
    pub fn explain(&self) -> Result<Explanation> {
        let module = K::module(&self.comptime)?;
        let shape = self.setup.shape::<K>()?;
        let bits = conditions::fulfilled(&module.module().conditions, &shape, self.args.as_ref());
        let fits = conditions::fulfilled(&module.module().fits, &shape, self.args.as_ref());
        Ok(Explanation::new(K::NAME, &module, bits, fits))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checked, all) = (self.checked().count(), self.indices.len());
        writeln!(f, "{}: {checked} of {all} indices are checked", self.kernel)?;
        if !self.wide.is_empty() {
            let failed: Vec<String> = self.wide.iter().map(|condition| format!("`{condition}`")).collect();
            writeln!(f, "more index arithmetic would fit `int` if {}", failed.join(" and "))?;
        }
        let mut lines: BTreeMap<(&str, u32), Vec<&ExplainedIndex>> = BTreeMap::new();
        for index in &self.indices {
            lines.entry((index.at.file, index.at.line)).or_default().push(index);
        }
        for ((file, line), indices) in lines {
            writeln!(f, "{file}:{line}")?;
            let mut seen: Vec<&ExplainedIndex> = Vec::new();
            for index in indices {
                if !seen.contains(&index) {
                    writeln!(f, "    {index}")?;
                    seen.push(index);
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for ExplainedIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let looped = match (self.is_checked(), self.loops) {
            (false, _) | (_, 0) => String::new(),
            (true, 1) => ", in a loop".into(),
            (true, n) => format!(", in {n} loops"),
        };
        write!(f, "{}{looped}: {}", self.text, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |all: &[String]| all.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(" and ");
        match self {
            Why::Text => write!(f, "proven by the kernel's text"),
            Why::Launch(conditions) => write!(f, "proven at launch by {}", quoted(conditions)),
            Why::Failed(conditions) => {
                write!(f, "checked here; this launch would prove it if {}", quoted(conditions))
            }
            Why::Checked(missing) if missing.is_empty() => write!(f, "checked here"),
            Why::Checked(missing) => write!(f, "checked here; would be proven if {}", missing.join(" and ")),
        }
    }
}
