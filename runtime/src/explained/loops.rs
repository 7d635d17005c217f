//! The form of each loop of a kernel in a launch, and the reasons.

use super::{ConditionSet, quoted};
use crate::codegen::{Ahead, PrintedLoop};
use crate::ir::Location;
use crate::passes::{Iterations, LoopFinding};
use crate::resources::{Bodies, Unrolled};

/// A loop, with the facts that let the compiler unroll it or hinder that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedLoop {
    /// The kernel or the device function that contains it.
    pub function: String,
    /// Its location.
    pub at: Location,
    /// Its head in Rust: `for k in 0..n`.
    pub text: String,
    /// `#[unroll]` (`Some(None)`) or `#[unroll(N)]`.
    pub asked: Option<Option<u32>>,
    /// Its trip count, if that is the same in each launch.
    pub iterations: Option<u128>,
    /// The obstacles that hinder the compiler from unrolling it.
    pub hindrances: Vec<Hindrance>,
    /// If it is compiled twice: the reason why the first version needs no checks.
    pub ahead: Option<Ahead>,
    /// The loop around it, by its index among the loops of the explanation.
    pub around: Option<usize>,
    /// Lines of its own statements, which no other loop shares.
    lines: Vec<(&'static str, u32)>,
}

/// An obstacle that hinders a compiler from unrolling a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hindrance {
    /// `#[unroll(1)]`.
    Forbidden,
    /// It is not a loop over a range, so its trip count is unknown when it starts.
    Uncounted,
    /// These indices are checked in it, and a failed check leaves it.
    Checked(Vec<String>),
    /// A `break` or a `return` may end it.
    Leaves,
    /// Its counter may overflow, in which case a plain C++ loop would not terminate.
    EndOfType,
    /// It contains another loop.
    Nested,
}

impl ExplainedLoop {
    pub(super) fn all(
        findings: Vec<LoopFinding>,
        printed: &[PrintedLoop],
        conditions: ConditionSet<'_>,
    ) -> Vec<Self> {
        let around: Vec<Option<usize>> = findings.iter().map(|finding| finding.around).collect();
        let shared: Vec<Vec<Location>> = findings.iter().map(|finding| finding.lines.clone()).collect();
        let explained = findings.into_iter().enumerate().map(|(place, finding)| {
            let form = printed.iter().find(|form| form.id == finding.id && form.function == finding.function);
            let has_inner = around.contains(&Some(place));
            let is_shared = |at: &Location| {
                shared.iter().enumerate().any(|(other, lines)| other != place && lines.contains(at))
            };
            let own = finding.lines.iter().filter(|at| !is_shared(at)).map(|at| (at.file, at.line)).collect();
            Self::new(finding, form, has_inner, own, conditions)
        });
        explained.collect()
    }

    fn new(
        finding: LoopFinding,
        form: Option<&PrintedLoop>,
        has_inner: bool,
        lines: Vec<(&'static str, u32)>,
        conditions: ConditionSet<'_>,
    ) -> Self {
        let ahead = form.and_then(|form| form.ahead);
        let checked = finding.indices.iter().filter(|(_, proof)| !conditions.prove(*proof));
        let checked: Vec<String> = checked.map(|(text, _)| text.clone()).collect();
        let found = [
            (finding.unroll == Some(Some(1))).then_some(Hindrance::Forbidden),
            (finding.iterations == Iterations::Open).then_some(Hindrance::Uncounted),
            (ahead.is_none() && !checked.is_empty()).then_some(Hindrance::Checked(checked)),
            finding.leaves.then_some(Hindrance::Leaves),
            form.is_some_and(|form| !form.is_plain).then_some(Hindrance::EndOfType),
            has_inner.then_some(Hindrance::Nested),
        ];
        Self {
            function: finding.function,
            at: finding.at,
            text: finding.text,
            asked: finding.unroll,
            iterations: match finding.iterations {
                Iterations::Constant(count) => Some(count),
                Iterations::OfRange | Iterations::Open => None,
            },
            hindrances: found.into_iter().flatten().collect(),
            ahead,
            around: finding.around,
            lines,
        }
    }

    /// Its form in the machine code; `None` if no instruction reveals it.
    pub(super) fn unrolled(&self, all: &[Self], bodies: &Bodies) -> Option<Unrolled> {
        let mut around = Vec::new();
        let mut place = self.around;
        while let Some(outer) = place.and_then(|place| all.get(place)) {
            around.push(outer.lines.as_slice());
            place = outer.around;
        }
        around.reverse();
        bodies.of(&self.lines, &around)
    }

    /// One line: its form, and the reason.
    pub(super) fn told(&self, unrolled: Option<Unrolled>) -> String {
        let why: Vec<String> = self.hindrances.iter().map(ToString::to_string).collect();
        let because = if why.is_empty() { String::new() } else { format!(", because {}", why.join(" and ")) };
        let outcome = match (unrolled, self.asked) {
            (Some(Unrolled::Wholly), _) => "unrolled wholly".to_owned(),
            (Some(Unrolled::By(times)), _) => format!("unrolled by {times}"),
            (Some(Unrolled::Not), _) if because.is_empty() => {
                "not unrolled: the compiler chose so".to_owned()
            }
            (Some(Unrolled::Not), _) => format!("not unrolled{because}"),
            (None, Some(Some(1))) => format!("not unrolled{because}"),
            (None, Some(_)) => "the compiler is asked to unroll it".to_owned(),
            (None, None) if because.is_empty() => "the compiler may unroll it".to_owned(),
            (None, None) => format!("may stay as it is{because}"),
        };
        let mut told = format!("{}: {outcome}", self.text);
        let asked = match self.asked {
            Some(None) => Some("`#[unroll]`".to_owned()),
            Some(Some(times)) if times != 1 => Some(format!("`#[unroll({times})]`")),
            _ => None,
        };
        let count =
            self.iterations.map(|count| format!("{count} iteration{}", if count == 1 { "" } else { "s" }));
        let facts: Vec<String> = count.into_iter().chain(asked).collect();
        if !facts.is_empty() {
            told += &format!(" ({})", facts.join(", "));
        }
        told + match self.ahead {
            Some(Ahead::Compared) => {
                "; compiled twice: without checks if a comparison before it holds, and with them"
            }
            Some(Ahead::Batched) => {
                "; compiled twice: some iterations at a time without checks if comparisons before them hold, and with them"
            }
            Some(Ahead::Tried) => "; compiled twice: first with failures noted, then to report one",
            Some(Ahead::Reported) => "; a comparison before it reports the first failure",
            None => "",
        }
    }
}

impl std::fmt::Display for Hindrance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Hindrance::Forbidden => write!(f, "`#[unroll(1)]` forbids it"),
            Hindrance::Uncounted => write!(f, "its iterations are not counted before the first"),
            Hindrance::Checked(indices) if indices.len() == 1 => {
                write!(f, "{} is checked in it", quoted(indices))
            }
            Hindrance::Checked(indices) => write!(f, "{} are checked in it", quoted(indices)),
            Hindrance::Leaves => write!(f, "a `break` or a `return` may end it"),
            Hindrance::EndOfType => write!(f, "its counter may reach the end of its type"),
            Hindrance::Nested => write!(f, "another loop is in it"),
        }
    }
}
