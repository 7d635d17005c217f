//! The reasons why each index of a kernel is in bounds in a launch, or checked.

use std::fmt;

use super::{ConditionSet, quoted};
use crate::ir::{Location, Proof};
use crate::passes::Finding;

/// An index, a range, or a slice seen as one of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedIndex {
    /// The kernel or the device function that contains it.
    pub function: String,
    /// Its location.
    pub at: Location,
    /// The Rust expression: `x[i + 1]`.
    pub text: String,
    /// The number of loops around it in its function.
    pub loops: usize,
    /// The reason why it is in bounds, or the missing facts.
    pub why: Why,
}

/// The reason why an index is in bounds or checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The kernel's code proves it for every launch: guards, loop bounds, extents, types.
    Text,
    /// This launch meets these conditions, which prove it.
    Launch(Vec<String>),
    /// It is checked, because this launch does not meet these conditions, which would prove it.
    Failed(Vec<String>),
    /// It is checked; these facts together would prove it.
    Checked(Vec<String>),
}

impl ExplainedIndex {
    pub(super) fn new(finding: Finding, conditions: ConditionSet<'_>) -> Self {
        let Finding { function, at, text, loops, proof, missing } = finding;
        let why = match proof {
            Proof::Text => Why::Text,
            Proof::Launch(bits) if conditions.prove(proof) => Why::Launch(conditions.named(bits)),
            Proof::Launch(bits) => Why::Failed(conditions.named(bits & !conditions.fulfilled)),
            Proof::Open => Why::Checked(missing),
        };
        ExplainedIndex { function, at, text, loops, why }
    }

    /// Returns whether it is compared with its length on the GPU.
    pub fn is_checked(&self) -> bool {
        matches!(self.why, Why::Failed(_) | Why::Checked(_))
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
