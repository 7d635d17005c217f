//! Barriers, fences, waits and memory orderings, where the launch may do without one of them.

use std::collections::HashMap;

use super::Lower;
use crate::interpreter::LowerOptions;
use crate::interpreter::program::{Op, Program, Site};
use crate::ir::{Builtin, Expr, ExprKind, Function, Location, Module, Orders, is_in, visit};
use crate::simulator::{Line, Synchronisation, SynchronisationKind};

/// The synchronisations of a module, by the calls that they are, if they are watched.
///
/// Instances of a generic function have the same ones.
pub(super) fn found(module: &Module, options: LowerOptions) -> HashMap<*const Expr, Synchronisation> {
    let mut found = HashMap::new();
    if options.watch.synchronisations {
        module.all_functions().for_each(|function| of_function(function, &mut found));
    }
    found
}

fn of_function(function: &Function, found: &mut HashMap<*const Expr, Synchronisation>) {
    let mut counts: HashMap<(Location, &str), u32> = HashMap::new();
    visit::exprs(&function.body, &mut |e| {
        if let ExprKind::Builtin { op, args, at, .. } = &e.kind
            && let Some((kind, order)) = kind(op, args)
        {
            let name = op.name.shown();
            let count = counts.entry((*at, name)).or_default();
            let line = Line { file: at.file, line: at.line, column: 0 };
            found.insert(std::ptr::from_ref(e), Synchronisation { at: line, name, kind, order, nth: *count });
            *count += 1;
        }
    });
}

/// The kind of synchronisation of a call, if any, and the ordering of an atomic operation.
fn kind(op: &Builtin, args: &[Expr]) -> Option<(SynchronisationKind, Option<&'static str>)> {
    match op.facts.orders {
        Orders::Nothing => None,
        Orders::Whole => Some((SynchronisationKind::Whole, None)),
        Orders::Part => Some((SynchronisationKind::Part, None)),
        Orders::Fence => Some((SynchronisationKind::Fence, None)),
        Orders::By(orderings) => {
            let strongest = orderings.iter().filter_map(|(at, _)| args.get(*at)?.as_int()).max()?;
            // A relaxed operation orders nothing.
            let order =
                ["Release", "Acquire", "AcqRel", "SeqCst"].get((strongest as usize).checked_sub(1)?)?;
            Some((SynchronisationKind::Atomic, Some(order)))
        }
    }
}

impl Lower<'_> {
    /// A builtin that may be a synchronisation, in the operations that let the launch do without it.
    pub(super) fn synchronising(&mut self, e: &Expr, site: Site, builtin: impl FnOnce(&mut Self)) {
        let Some(which) = self.synchronisations.get(&std::ptr::from_ref(e)).copied() else {
            return builtin(self);
        };
        let past = self.label();
        self.program.synchronisations.push(which);
        let which = self.program.synchronisations.len() as u32 - 1;
        self.push(Op::Synchronise { which, site, to: past.0 });
        builtin(self);
        self.push(Op::Synchronised);
        self.here(past);
    }
}

impl Program {
    /// The synchronisations of the user's own functions, in the order of the text.
    pub fn synchronisations(&self) -> Vec<Synchronisation> {
        let own = self.synchronisations.iter().filter(|which| !is_in(self.sources, which.at.file));
        let mut all: Vec<Synchronisation> = own.copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
