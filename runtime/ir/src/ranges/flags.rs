//! Conditions that a flag tells of: `ok` of `ok = if n > 0 { x[0] == 32 } else { false }` is true only where `n > 0` was.

use std::collections::HashSet;

use super::changes::assigned;
use super::conditions::chained;
use super::known::{Known, is_readable};
use super::loads::{has_load, mentions};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, StmtKind, VarId};

impl Known {
    /// Learns from flags that are set to a constant at the end of a branch of `if cond { … } else { … }`: where such a flag has the other
    /// value, the other branch was taken. Only parts of the condition count that have not changed since.
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
            // Each of these has the outcome, if the condition has it.
            let parts =
                chained(cond, if taken { BinaryOp::Or } else { BinaryOp::And }).into_iter().filter(lasts);
            self.flags.extend(parts.map(|part| (var, !value, part.clone(), !taken)));
        }
    }

    /// What follows if a flag has an outcome. If its condition has flags in it, these are followed too, but not the flags in their
    /// conditions: there would be too many ways through them.
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

/// The flag that a block sets to a constant at its end.
fn given_last(block: &Block) -> Option<(VarId, bool)> {
    let StmtKind::Assign { place, op: None, value } = &block.stmts.last()?.kind else { return None };
    let ExprKind::Var(var) = place.kind else { return None };
    Some((var, value.as_bool()?))
}
