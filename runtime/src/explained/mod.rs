//! Explains a launch: the proofs about its indices, the form of its loops, and the cost of its checks.
//!
//! The findings of the passes about a module come in, with the conditions that a launch meets and the CUDA that it
//! compiles. An explanation by Rust lines goes out. This module is independent of launches and devices. It compiles machine
//! code only on request.

mod cost;
mod index;
mod loops;

pub use cost::{CheckTimes, CostOfChecks};
pub use index::{ExplainedIndex, Why};
pub use loops::{ExplainedLoop, Hindrance};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::codegen::CudaSource;
use crate::compile::Forms;
use crate::error::Result;
use crate::ir::{CoarsenNeeds, Condition, Proof};
use crate::passes;
use crate::resources::{Bodies, Unrolled};
use crate::sources::is_library;

/// The explanation of a launch: why each index is in bounds or checked, the form of each loop, and the cost of the checks.
///
/// [`Display`](fmt::Display) prints it by Rust lines. [`Explanation::cost`], [`Explanation::unrolled`] and `Display`
/// compile the kernel on first use, for the architecture of the explanation. Without NVRTC, or without `nvdisasm`, the
/// output says what is missing.
#[derive(Clone)]
pub struct Explanation {
    /// The kernel.
    pub kernel: &'static str,
    /// Its indices, in source order, and those of the device functions that it calls.
    pub indices: Vec<ExplainedIndex>,
    /// Its loops, outer ones before inner ones, and those of the device functions that it calls.
    pub loops: Vec<ExplainedLoop>,
    /// The number of elements that each thread computes, if the launch is coarsened.
    pub elements: Option<u32>,
    /// Conditions that this launch does not meet, and under which more index arithmetic would fit `int`.
    pub wide: Vec<String>,
    forms: Forms,
    times: Option<CheckTimes>,
    made: Arc<Made>,
}

/// The compiled forms that explain a launch.
#[derive(Default)]
struct Made {
    cost: OnceLock<Result<CostOfChecks>>,
    bodies: OnceLock<Result<Bodies>>,
}

/// The conditions of a module that a launch fulfils.
pub(crate) struct Fulfilled {
    /// Those that prove indices, one bit for each.
    pub checks: u64,
    /// Those under which arithmetic fits `int`, one bit for each.
    pub fits: u64,
}

/// The conditions that prove indices, and which of them a launch fulfils.
#[derive(Clone, Copy)]
struct ConditionSet<'a> {
    all: &'a [Condition],
    fulfilled: u64,
}

impl ConditionSet<'_> {
    /// Returns whether a proof holds in the launch.
    fn prove(self, proof: Proof) -> bool {
        match proof {
            Proof::Text => true,
            Proof::Launch(bits) => bits & !self.fulfilled == 0,
            Proof::Open => false,
        }
    }

    /// Some of the conditions, as text.
    fn named(self, bits: u64) -> Vec<String> {
        let own = self.all.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        own.map(|(_, condition)| condition.to_string()).collect()
    }
}

impl Explanation {
    /// Explains a launch with these forms, which compiles `source`.
    pub(crate) fn new(forms: Forms, source: &CudaSource, fulfilled: &Fulfilled) -> Self {
        let module = forms.module.module();
        let conditions = ConditionSet { all: &module.conditions, fulfilled: fulfilled.checks };
        let found = passes::explain(&forms.module).into_iter();
        let indices = found.map(|finding| ExplainedIndex::new(finding, conditions)).collect();
        let loops = ExplainedLoop::all(passes::explain_loops(&forms.module), &source.loops, conditions);
        let failed = module.fits.iter().enumerate().filter(|(i, _)| fulfilled.fits >> i & 1 == 0);
        let wide = failed.map(|(_, condition)| condition.to_string()).collect();
        let elements = source.needs.coarsened.as_ref().map(|CoarsenNeeds { factor, .. }| *factor);
        let (kernel, made) = (forms.kernel, Arc::default());
        Explanation { kernel, indices, loops, elements, wide, forms, times: None, made }
    }

    /// The indices that are checked on the GPU.
    pub fn checked(&self) -> impl Iterator<Item = &ExplainedIndex> {
        self.indices.iter().filter(|index| index.is_checked())
    }

    /// Registers, spills and instructions of the kernel as this launch compiles it, and without checks.
    ///
    /// # Errors
    /// An error of compiling; [`NvrtcError::Missing`](crate::nvrtc::NvrtcError::Missing) without NVRTC.
    pub fn cost(&self) -> Result<&CostOfChecks> {
        let compiled = || Ok(CostOfChecks::new(self.forms.resources()?, self.times.clone()));
        self.made.cost.get_or_init(compiled).as_ref().map_err(Clone::clone)
    }

    /// The form of each of [`Explanation::loops`] in the machine code of this launch; `None` if no instruction reveals it.
    ///
    /// The kernel is compiled twice: as it is, and with no loop unrolled. A loop was unrolled if its body occurs more often
    /// in the first machine code.
    ///
    /// # Errors
    /// As for [`Explanation::cost`]; [`DumpError::NoDisassembler`](crate::error::DumpError::NoDisassembler) without
    /// `nvdisasm`.
    pub fn unrolled(&self) -> Result<Vec<Option<Unrolled>>> {
        if self.loops.is_empty() {
            return Ok(Vec::new());
        }
        let bodies = self.made.bodies.get_or_init(|| self.forms.bodies()).as_ref().map_err(Clone::clone)?;
        Ok(self.loops.iter().map(|own| own.unrolled(&self.loops, bodies)).collect())
    }

    /// The same explanation with measured times.
    #[cfg_attr(not(feature = "simulator"), allow(dead_code, reason = "copies of memory are the simulator's"))]
    pub(crate) fn with_times(self, times: CheckTimes) -> Self {
        Self { times: Some(times), made: Arc::default(), ..self }
    }

    /// The part of the output that needs no compiler; it is the same on every machine.
    pub fn proven(&self) -> String {
        self.by_line(&vec![None; self.loops.len()])
    }

    /// Indices and loops by line.
    fn by_line(&self, unrolled: &[Option<Unrolled>]) -> String {
        let (checked, all) = (self.checked().count(), self.indices.len());
        let mut text = format!("{}: {checked} of {all} indices are checked\n", self.kernel);
        if let Some(elements) = self.elements {
            text += &format!("each thread does {elements} elements, together if none is left out\n");
        }
        if !self.wide.is_empty() {
            text += &format!("more index arithmetic would fit `int` if {}\n", quoted(&self.wide));
        }
        // The library's own functions stand after the user's.
        let mut lines: BTreeMap<(bool, &str, u32), Vec<String>> = BTreeMap::new();
        let loops = self.loops.iter().zip(unrolled).map(|(own, unrolled)| (own.at, own.told(*unrolled)));
        let indices = self.indices.iter().map(|index| (index.at, index.to_string()));
        for (at, told) in loops.chain(indices) {
            let line = lines.entry((is_library(at.file), at.file, at.line)).or_default();
            if !line.contains(&told) {
                line.push(told);
            }
        }
        let mut heading = "In functions of the library:\n";
        for ((library, file, line), told) in lines {
            if library {
                text += std::mem::take(&mut heading);
            }
            text += &format!("{file}:{line}\n");
            told.iter().for_each(|told| text += &format!("    {told}\n"));
        }
        text
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cost = self.cost();
        // A missing compiler is missing for both, and is reported once.
        let unrolled = if cost.is_ok() { self.unrolled() } else { Ok(Vec::new()) };
        match &unrolled {
            Ok(known) if known.len() == self.loops.len() => f.write_str(&self.by_line(known))?,
            _ => f.write_str(&self.proven())?,
        }
        if let Err(why) = &unrolled {
            writeln!(f, "What the compiler unrolled is left out: {why}.")?;
        }
        match cost {
            Ok(cost) => write!(f, "{cost}"),
            Err(why) => writeln!(f, "Registers and the cost of checks are left out: {why}."),
        }
    }
}

impl fmt::Debug for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, indices, loops, elements, wide, times, .. } = self;
        f.debug_struct("Explanation")
            .field("kernel", kernel)
            .field("indices", indices)
            .field("loops", loops)
            .field("elements", elements)
            .field("wide", wide)
            .field("times", times)
            .finish_non_exhaustive()
    }
}

/// `` `a` and `b` ``
fn quoted(all: &[String]) -> String {
    all.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" and ")
}
