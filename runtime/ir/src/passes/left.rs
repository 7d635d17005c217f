//! What calls leave in the fields that they are lent, as a method does in those of `&mut self`.

use std::collections::HashMap;

use super::calls::Outcome;
use super::elide::Walk;
use crate::ir::{Expr, FnId, VarId, VarKind};
use crate::ranges::{Fields, Held, lent_path};

impl Walk<'_> {
    /// Notes what the function that the walk goes through leaves in the fields of its caller's variables, where it returns.
    pub(super) fn note_left(&mut self) {
        // Walks that look for the invariants of loops assume what may not hold.
        if self.outcome.is_none() || self.assigned.is_some() {
            return;
        }
        let held = |var: VarId| {
            // A call in the returned value is the last that changes it.
            let left = self.known.given.left(var);
            let left = left.or_else(|| self.scope.value_of(&self.scope.read_var(var), &self.known));
            Some((var, left.filter(|_| !self.untracked.contains(&var))?.lasting()))
        };
        let here: HashMap<VarId, Held> = self.scope.lent_fields().into_iter().filter_map(held).collect();
        if let Some(outcome) = &mut self.outcome {
            outcome.note_left(here);
        }
    }

    /// Forgets what calls before this one gave, as far as this one may change it.
    pub(super) fn forget_given(&mut self, args: &[Expr]) {
        self.known.given.note_returned(Fields::new());
        for (of, before) in args.iter().filter_map(lent_path) {
            for (var, _) in self.scope.field_vars_behind(of, &before) {
                self.known.given.forget_left(var);
            }
        }
    }

    /// Learns what a call gives to fields of this function's variables, for the statements that give them their values.
    pub(super) fn learn_given(&mut self, function: FnId, args: &[Expr], outcome: Option<&Outcome>) {
        self.forget_given(args);
        let (Some(function), Some(outcome)) = (self.scope.functions.get(function.0 as usize), outcome) else {
            return;
        };
        self.known.given.note_returned(outcome.returned.clone().unwrap_or_default());
        for (var, held) in outcome.left.iter().flatten() {
            let VarKind::Field { of, path } = &function.var(*var).kind else { continue };
            let arg = function.params.iter().position(|param| param == of).and_then(|at| args.get(at));
            let Some((base, before)) = arg.and_then(lent_path) else { continue };
            if let Some(own) = self.scope.field_var(base, &[before.as_slice(), path].concat()) {
                self.known.given.leave(own, held.clone());
            }
        }
    }
}
