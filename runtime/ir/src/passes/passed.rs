//! What an index tells of the statements after it: they run only if it was in bounds.
//!
//! Only indices into arrays of constant lengths tell. A loop whose index into a slice is out of bounds may go on, if it is
//! tried; a loop with a checked index into an array is never tried, so nothing runs past such an index.

use super::elide::Walk;
use crate::ir::{BinaryOp, ConstValue, Expr, ExprKind, Quantity, Type, VarId, visit};
use crate::ranges::Known;

impl Walk<'_> {
    /// Adds that the indices are in bounds that an expression evaluates in any case.
    pub(super) fn learn_passed(&mut self, e: &Expr) {
        if self.forms_expressions() {
            return;
        }
        if let Some(lazy) = e.lazy() {
            return self.learn_passed(lazy.condition);
        }
        // The length of an array in an array is known without the index.
        if matches!(e.kind, ExprKind::Closure(_) | ExprKind::Len(_)) {
            return;
        }
        for operand in e.operands() {
            self.learn_passed(operand);
        }
        let ExprKind::Index { base, index, .. } = &e.kind else { return };
        if matches!(base.ty, Type::Array(..) | Type::Shared { .. })
            && e.ty.size() > 0
            && let Some(len) = self.scope.extent(base)
            && let (Some(n), true) = (len.count.as_const(), len.needs.is_empty())
        {
            self.learn_below(index, n);
        }
    }

    /// Notes the value of a variable, which facts about the variable are about too.
    pub(super) fn name(&mut self, var: VarId, value: &Expr) {
        let mut is_tracked = !self.untracked.contains(&var) && self.scope.is_lent(value);
        visit::expr(value, &mut |e| {
            is_tracked &= !matches!(e.kind, ExprKind::Var(of) if self.untracked.contains(&of));
        });
        if is_tracked {
            self.known.name(var, value);
        }
    }

    fn learn_below(&mut self, index: &Expr, n: i128) {
        let known = self.scope.range(index, &self.known);
        // A fact that says no more may hide what a launch knows.
        if known.high.is_below(&Quantity::Const(n)) && known.low.minimum() >= 0 {
            return;
        }
        let facts = self.is_below(index, n);
        let aliases: Vec<(Expr, i128)> = facts
            .ranges()
            .filter(|(_, range)| range.needs.is_empty())
            .filter_map(|(var, range)| {
                Some((self.known.alias(var)?.clone(), range.high.as_const()?.checked_add(1)?))
            })
            .collect();
        self.known.extend(facts);
        for (alias, limit) in aliases {
            let facts = self.is_below(&alias, limit);
            self.known.extend(facts);
        }
    }

    /// The facts that a number is below another, and not negative.
    fn is_below(&self, e: &Expr, n: i128) -> Known {
        let compared = |op, with| {
            let with = Expr::constant(ConstValue::Int(with), e.ty.clone());
            let kind = ExprKind::Binary(op, e.clone().into(), with.into());
            Expr { kind, ty: Type::BOOL }
        };
        let mut facts = self.implied(&compared(BinaryOp::Ge, 0), true);
        facts.extend(self.implied(&compared(BinaryOp::Lt, n), true));
        facts
    }
}
