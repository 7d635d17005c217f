//! Why each index of a module is checked or not, in words.
//!
//! A module that [`super::elide`] and [`super::lift`] have marked comes in. A [`Finding`] for each index and range goes
//! out, in the order of the text. This module decides nothing: the proofs are those of the passes.

use std::collections::HashMap;

use super::elements::learn_elements;
use super::elide::Walk;
use super::field_vars::with_field_vars;
use super::wording::Wording;
use crate::ir::{AssertFailure, Expr, ExprKind, Function, Location, Module, Proof, Type, VarId};
use crate::ranges::{FunctionScope, Kind, Range, axes};
use crate::validate::ValidModule;

/// An index or a range, and why it is in bounds or checked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kernel or the device function that it stands in.
    pub function: String,
    /// Where.
    pub at: Location,
    /// The index as Rust spells it: `x[i + 1]`.
    pub text: String,
    /// Loops around it, in its function.
    pub loops: usize,
    /// Its proof.
    pub proof: Proof,
    /// The facts that would prove it; empty if it is proven.
    pub missing: Vec<String>,
}

/// The findings about every index of a module.
pub fn explain(module: &ValidModule) -> Vec<Finding> {
    with_field_vars(&mut module.module().clone(), |module| {
        let lifts = !module.is_relaunched();
        let most_threads = module.attributes.max_threads;
        let kernel = (&module.kernel, Kind { is_kernel: true, lifts, most_threads });
        let launched = module.launched.iter().map(|kernel| {
            let most_threads = kernel.attributes.max_threads;
            (&kernel.function, Kind { is_kernel: true, lifts: false, most_threads })
        });
        let called = module.functions.iter().map(|function| {
            let plain = Kind { is_kernel: false, lifts: false, most_threads: None };
            (function, plain)
        });
        let all = std::iter::once(kernel).chain(launched).chain(called);
        all.flat_map(|(function, kind)| of_function(module, function, kind)).collect()
    })
}

fn of_function(module: &Module, function: &Function, kind: Kind) -> Vec<Finding> {
    let mut body = function.body.clone();
    let mut wording = Wording {
        functions: &module.functions,
        names: function.vars.iter().map(|var| var.name.clone()).collect(),
        held: HashMap::new(),
    };
    wording.spell_field_vars(function);
    let scope = FunctionScope::new(&module.functions, function, &function.body, kind);
    let scope = learn_elements(scope, &function.body);
    let mut walk = Walk::new(scope);
    walk.explains(Notes { function: function.name.clone(), wording, loops: 0, found: Vec::new() });
    walk.block(&mut body);
    walk.findings()
}

/// The notes of a walk over a function.
pub(super) struct Notes<'a> {
    function: String,
    wording: Wording<'a>,
    /// The number of loops around the walked expression.
    pub loops: usize,
    pub found: Vec<Finding>,
}

impl Notes<'_> {
    /// Remembers what a variable without a name holds.
    pub fn hold(&mut self, var: VarId, init: &Expr) {
        self.wording.held.entry(var).or_insert_with(|| init.clone());
    }

    /// Adds an index or a range; `missing` is asked for if it is open.
    pub fn add(&mut self, e: &Expr, missing: impl FnOnce(&Wording) -> Vec<String>) {
        let (ExprKind::Index { at, proof, .. } | ExprKind::SubSlice { at, proof, .. }) = &e.kind else {
            return;
        };
        let missing = if *proof == Proof::Open { missing(&self.wording) } else { Vec::new() };
        self.found(self.wording.of(e), *at, *proof, missing);
    }

    /// Adds what a function of the library compares as an index or a range is compared.
    pub fn add_assertion(&mut self, cond: &Expr, failure: &AssertFailure, proof: Proof, at: Location) {
        if matches!(failure, AssertFailure::Index | AssertFailure::Range) {
            let text = self.wording.of(cond);
            let missing = if proof == Proof::Open { vec![format!("`{text}`")] } else { Vec::new() };
            self.found(text, at, proof, missing);
        }
    }

    fn found(&mut self, text: String, at: Location, proof: Proof, missing: Vec<String>) {
        let (function, loops) = (self.function.clone(), self.loops);
        self.found.push(Finding { function, at, text, loops, proof, missing });
    }
}

/// The guard that would prove an index; `range` gives the known range of an expression.
pub(super) fn missing(e: &Expr, words: &Wording, range: impl Fn(&Expr) -> Range) -> Vec<String> {
    match &e.kind {
        ExprKind::Index { base, index, .. } => match (&index.kind, base.ty.peeled()) {
            (ExprKind::Tuple(parts), Type::View { rank, .. }) => {
                let extents = axes(*rank).iter().map(|axis| format!("{}.{axis}()", words.of(base)));
                parts
                    .iter()
                    .zip(extents)
                    .flat_map(|(part, extent)| between(part, &extent, words, &range))
                    .collect()
            }
            _ => between(index, &format!("{}.len()", words.of(base)), words, &range),
        },
        ExprKind::SubSlice { base, start: None, end: None, .. } => {
            let align = e.ty.element().map_or(1, |elem| elem.align());
            vec![format!("`{}` begins at a multiple of {align} bytes", words.of(base))]
        }
        ExprKind::SubSlice { base, start, end, .. } => {
            let len = format!("{}.len()", words.of(base));
            let texts = [start, end].map(|e| e.as_ref().map(|e| words.of(e)));
            match texts {
                [Some(start), Some(end)] => vec![format!("`{start} <= {end}`"), format!("`{end} <= {len}`")],
                [start, end] => {
                    start.or(end).map(|bound| format!("`{bound} <= {len}`")).into_iter().collect()
                }
            }
        }
        _ => Vec::new(),
    }
}

/// The condition that an index is neither negative nor too great, with its known range.
fn between(index: &Expr, extent: &str, words: &Wording, range: &impl Fn(&Expr) -> Range) -> Vec<String> {
    let (text, known) = (words.of(index), range(index));
    let spelled = if matches!(index.kind, ExprKind::Cast(_)) { format!("({text})") } else { text };
    let least = index.ty.scalar().and_then(crate::ir::Scalar::int_range).map_or(0, |(least, _)| least);
    let mut missing = Vec::new();
    if known.low.minimum() < 0 && least < 0 {
        missing.push(match known.low.is_telling() {
            true => format!("`{spelled} >= 0` (known: at least {})", known.low),
            false => format!("`{spelled} >= 0`"),
        });
    }
    missing.push(match known.high.is_telling() {
        true => format!("`{spelled} < {extent}` (known: at most {})", known.high),
        false => format!("`{spelled} < {extent}`"),
    });
    missing
}
