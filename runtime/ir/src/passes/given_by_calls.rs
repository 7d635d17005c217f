//! What calls give to parts of structs: what a method leaves in `&mut self`, and the fields of what a function returns.

use std::collections::HashMap;
use std::hash::Hash;

use super::calls::Outcome;
use super::elide::Walk;
use super::parts::field_names;
use crate::ir::{Expr, ExprKind, FnId, Type, VarId, VarKind};
use crate::ranges::{Fields, Held, Known, steps};

impl Walk<'_> {
    /// Notes what the function that the walk goes through leaves in the variables of its caller, where it returns.
    pub(super) fn note_left(&mut self) {
        // Walks that look for the invariants of loops assume what may not hold.
        if self.outcome.is_none() || self.assigned.is_some() {
            return;
        }
        let held = |part: &Expr| {
            let ExprKind::Var(var) = part.kind else { return None };
            let is_tracked = !self.untracked.contains(&var);
            // A call in the returned value is the last that changes it.
            let left = self.known.given.left(var).or_else(|| self.scope.value_of(part, &self.known));
            Some((var, left.filter(|_| is_tracked)?.lasting()))
        };
        let here: HashMap<VarId, Held> = self.scope.lent_parts().iter().filter_map(held).collect();
        if let Some(outcome) = &mut self.outcome {
            outcome.left = Some(either(outcome.left.take(), here));
        }
    }

    /// Notes the fields of a returned value of the function that the walk goes through.
    pub(super) fn note_returned_fields(&mut self, e: &Expr) {
        let here = self.fields_of(e, &self.known);
        if let Some(outcome) = &mut self.outcome {
            outcome.fields = Some(either(outcome.fields.take(), here));
        }
    }

    /// What is known of the fields of a struct or a tuple; of anything else, what is known of it, without a name.
    fn fields_of(&self, e: &Expr, known: &Known) -> Fields {
        let names = field_names(&e.ty);
        match &e.kind {
            ExprKind::Struct(_, parts) | ExprKind::Tuple(parts) => {
                let of_part = |(name, part): (String, &Expr)| {
                    let fields = self.fields_of(part, known).into_iter();
                    fields.map(move |(path, held)| (join(&name, &path), held))
                };
                names.into_iter().zip(parts).flat_map(of_part).collect()
            }
            ExprKind::Select(cond, a, b) if !names.is_empty() => {
                let [a, b] = [(a, true), (b, false)].map(|(branch, outcome)| {
                    let mut known = known.clone();
                    known.extend(known.implied(cond, outcome, &self.scope));
                    self.fields_of(branch, &known)
                });
                either(Some(a), b)
            }
            _ if names.is_empty() => {
                let held = self.scope.value_of(e, known).map(Held::lasting);
                held.map(|held| (String::new(), held)).into_iter().collect()
            }
            _ => {
                let Some((Expr { kind: ExprKind::Var(of), .. }, before)) = steps(e) else {
                    return Fields::new();
                };
                let parts = self.scope.parts_behind(*of, &before).into_iter();
                let held = |(part, path)| Some((path, self.scope.value_of(&part, known)?.lasting()));
                parts.filter_map(held).collect()
            }
        }
    }

    /// Forgets what calls before this one gave, as far as this one may change it.
    pub(super) fn forget_given(&mut self, args: &[Expr]) {
        self.known.given.note_returned(Fields::new());
        for (of, before) in args.iter().filter_map(lent) {
            for (part, _) in self.scope.parts_behind(of, &before) {
                if let ExprKind::Var(var) = part.kind {
                    self.known.given.take(var);
                }
            }
        }
    }

    /// Learns what a call leaves in the variables of this function, for the statements that give them their values.
    pub(super) fn learn_left(&mut self, function: FnId, args: &[Expr], outcome: Option<&Outcome>) {
        self.forget_given(args);
        let (Some(function), Some(outcome)) = (self.scope.functions.get(function.0 as usize), outcome) else {
            return;
        };
        self.known.given.note_returned(outcome.fields.clone().unwrap_or_default());
        for (var, held) in outcome.left.iter().flatten() {
            let VarKind::Part { of, path } = &function.var(*var).kind else { continue };
            let arg = function.params.iter().position(|param| param == of).and_then(|at| args.get(at));
            let Some((base, mut steps)) = arg.and_then(lent) else { continue };
            steps.push(path);
            if let Some(part) = self.scope.part_of(base, &steps.join(".")) {
                self.known.given.leave(part, held.clone());
            }
        }
    }
}

/// The variable that an argument lends to be changed, whole or a part of it, and the names of the fields that lead there.
fn lent(arg: &Expr) -> Option<(VarId, Vec<&str>)> {
    let (base, path) = steps(arg).filter(|_| matches!(arg.ty, Type::Ref { mutable: true, .. }))?;
    let ExprKind::Var(var) = base.kind else { return None };
    Some((var, path))
}

/// The path of a field in a field.
fn join(name: &str, path: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{name}.{path}") }
}

/// What holds of values that are one or the other; the first may not be there yet.
fn either<K: Eq + Hash>(known: Option<HashMap<K, Held>>, here: HashMap<K, Held>) -> HashMap<K, Held> {
    match known {
        None => here,
        Some(known) => {
            let both = |(at, own): (K, Held)| {
                let held = own.hull(here.get(&at)?.clone());
                Some((at, held))
            };
            known.into_iter().filter_map(both).collect()
        }
    }
}
