//! Conditions that a flag tells of: `ok` of `ok = if n > 0 { x[0] == 32 } else { false }` is true only where `n > 0` was.

use std::collections::HashSet;

use super::changes::assigned;
use super::known::{Known, is_readable};
use super::loads::{has_load, mentions};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Block, ConstValue, Expr, ExprKind, StmtKind, VarId};

impl Known {
    /// Learns of the flags that a branch of `if cond { … } else { … }` ends by giving a constant: where a flag has the other outcome, the
    /// other branch was taken, and nothing in the condition has changed since.
    pub fn learn_flags(&mut self, cond: &Expr, [then, otherwise]: [&Block; 2], scope: &FunctionScope) {
        let mut changed = assigned(then);
        changed.extend(assigned(otherwise));
        for (branch, taken) in [(then, true), (otherwise, false)] {
            let Some((var, value)) = given_last(branch).filter(|(var, _)| !scope.untracked.contains(var))
            else {
                continue;
            };
            let lasts = |part: &&Expr| {
                is_readable(part)
                    && !has_load(part)
                    && !mentions(part, &changed)
                    && !mentions(part, &scope.untracked)
            };
            let parts = parts(cond, !taken).into_iter().filter(lasts);
            self.flags.extend(parts.map(|part| (var, !value, part.clone(), !taken)));
        }
    }

    /// What follows if a flag has an outcome. A condition of flags is followed, but no flag of theirs again: all ways through these would be
    /// too many.
    pub(super) fn flagged(&self, var: VarId, outcome: bool, scope: &FunctionScope) -> Known {
        let mut facts = Known::default();
        let asked = self.flags.iter().filter(|(own, of, ..)| *own == var && *of == outcome);
        let conditions: Vec<_> = asked.map(|(_, _, cond, holds)| (cond, *holds)).collect();
        if conditions.is_empty() {
            return facts;
        }
        let flags: HashSet<VarId> = self.flags.iter().map(|(own, ..)| *own).collect();
        let mut without = self.clone();
        without.flags.retain(|(_, _, cond, _)| !mentions(cond, &flags));
        for (cond, holds) in conditions {
            facts.extend(without.implied(cond, holds, scope));
        }
        facts
    }

    /// Forgets what flags tell of variables, and the flags among these.
    pub(super) fn forget_flags(&mut self, vars: &HashSet<VarId>) {
        self.flags.retain(|(var, _, cond, _)| !vars.contains(var) && !mentions(cond, vars));
    }
}

/// The flag that a block gives a constant at its end.
fn given_last(block: &Block) -> Option<(VarId, bool)> {
    let StmtKind::Assign { place, op: None, value } = &block.stmts.last()?.kind else { return None };
    match (&place.kind, &value.kind) {
        (ExprKind::Var(var), ExprKind::Const(constant)) => match constant.value {
            ConstValue::Bool(value) => Some((*var, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Conditions that each have the outcome, if a condition has it.
fn parts(cond: &Expr, outcome: bool) -> Vec<&Expr> {
    match &cond.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if outcome == (*op == BinaryOp::And) => {
            [parts(a, outcome), parts(b, outcome)].concat()
        }
        _ => vec![cond],
    }
}
