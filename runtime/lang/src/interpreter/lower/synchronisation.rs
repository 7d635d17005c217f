//! Barriers, fences, waits and memory orderings, where the launch may do without one of them.

use std::collections::HashMap;

use super::{Lower, is_library};
use crate::interpreter::Options;
use crate::interpreter::program::{Op, Program, Site};
use crate::ir::{Builtin, Effect, Expr, ExprKind, Function, Location, Module, Type, visit};
use crate::simulator::{Line, Synchronisation};

/// The synchronisations of a module, by the calls that they are, if they are watched.
///
/// Instances of a generic function have the same ones.
pub(super) fn found(module: &Module, options: Options) -> HashMap<*const Expr, Synchronisation> {
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
            && (is_barrier(op) || ordering(args).is_some())
        {
            let count = counts.entry((*at, op.name)).or_default();
            let line = Line { file: at.file, line: at.line, column: 0 };
            let which = Synchronisation { at: line, name: op.name, order: ordering(args), nth: *count };
            *count += 1;
            found.insert(std::ptr::from_ref(e), which);
        }
    });
}

/// Whether a builtin orders memory by itself; warp operations that exchange values do not.
fn is_barrier(op: &Builtin) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| op.name.starts_with(word));
    match op.effect {
        Effect::Sync(_) => begins(&["sync_", "cluster_", "grid_sync", "named_barrier_"]),
        Effect::Writes => begins(&["fence_", "copy_async_wait"]),
        Effect::Pure => false,
    }
}

/// The ordering of an atomic operation, unless it is relaxed.
fn ordering(args: &[Expr]) -> Option<&'static str> {
    let orderings =
        args.iter().filter(|arg| matches!(&arg.ty, Type::Enum(def) if def.name == "MemoryOrdering"));
    let names = ["Relaxed", "Release", "Acquire", "AcqRel", "SeqCst"];
    let strongest = orderings.filter_map(Expr::as_int).max()?;
    names.get(strongest as usize).copied().filter(|_| strongest > 0)
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
        let own = self.synchronisations.iter().filter(|which| !is_library(which.at.file));
        let mut all: Vec<Synchronisation> = own.copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
