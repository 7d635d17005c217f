//! Closures: the checks that all of a closure's calls prove.
//!
//! A closure is walked where it is made, with nothing known, and again at each of its calls, with what is known there. A
//! closure that is used in any other way than by a call keeps its checks.

use std::collections::HashMap;

use super::calls::{Aim, Callee};
use super::elide::Walk;
use crate::ir::{Block, Closure, Expr, ExprKind, StmtKind, VarId, visit};

/// The closures that a walk has met, with the number of their calls that were looked at.
pub(super) type Closures = HashMap<VarId, (Closure, usize)>;

impl Walk<'_> {
    /// Notes the closure that a variable is.
    ///
    /// A `move` closure holds copies, so facts at its calls do not apply to them.
    pub(super) fn meet_closure(&mut self, var: VarId, init: &Expr) {
        let ExprKind::Closure(closure) = &init.kind else { return };
        let mut mutable = false;
        visit::exprs(&closure.body, &mut |e| {
            mutable |= matches!(e.kind, ExprKind::Var(own) if self.scope.is_mutable(own));
        });
        if self.aim == Aim::Own && !(closure.by_value && mutable) {
            self.closures.insert(var, ((**closure).clone(), 0));
        }
    }

    /// Looks at a closure for one call of it.
    pub(super) fn enter_closure(&mut self, var: VarId, args: &[Expr]) {
        if self.aim != Aim::Own || !self.closures.contains_key(&var) || !self.enters() {
            return;
        }
        let Some((closure, calls)) = self.closures.get_mut(&var) else { return };
        *calls += 1;
        let mut closure = closure.clone();
        for (param, arg) in closure.params.iter().zip(args) {
            self.scope.define(*param, arg, &self.known);
        }
        self.aim = Aim::Called(Callee::Closure(var));
        let passed = std::mem::take(&mut self.passed);
        self.block(&mut closure.body);
        self.passed = passed;
        self.aim = Aim::Own;
        self.scope.undefine(&closure.body);
        closure.params.iter().for_each(|param| self.scope.forget(*param));
    }

    /// Marks what all calls of each closure prove.
    pub(super) fn mark_closures(&mut self, body: &mut Block) {
        let mut uses: HashMap<VarId, usize> = HashMap::new();
        visit::exprs(body, &mut |e| {
            if let ExprKind::Var(var) | ExprKind::CallClosure { closure: var, .. } = e.kind {
                *uses.entry(var).or_default() += 1;
            }
        });
        let is_proven = |(var, (_, calls)): (&VarId, &(Closure, usize))| {
            uses.get(var) == Some(calls) && self.calls.prove(Callee::Closure(*var))
        };
        let proven: Vec<VarId> =
            self.closures.iter().filter(|own| is_proven(*own)).map(|own| *own.0).collect();
        if !proven.is_empty() {
            self.mark_among(body, &proven);
        }
    }

    fn mark_among(&mut self, block: &mut Block, proven: &[VarId]) {
        for stmt in &mut block.stmts {
            visit::blocks_mut(stmt).into_iter().for_each(|inner| self.mark_among(inner, proven));
            let StmtKind::Let { var, init: Some(Expr { kind: ExprKind::Closure(closure), .. }) } =
                &mut stmt.kind
            else {
                continue;
            };
            if proven.contains(var) {
                (self.aim, self.passed) = (Aim::Mark(Callee::Closure(*var)), 0);
                self.block(&mut closure.body);
                self.aim = Aim::Own;
            }
        }
    }
}
