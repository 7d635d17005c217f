//! Conditions of which at least one holds, as of a merge that goes on while either list has elements: `i < a.len() || j < b.len()`.

use std::collections::HashSet;

use super::known::{Known, is_readable, negated, same};
use super::loads::mentions;
use super::range::integer;
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, UnaryOp, VarId, visit};

/// Comparisons in a condition at most whose cases are looked at.
const MOST_CASES: usize = 6;

impl Known {
    /// What follows if one of two conditions has an outcome: what follows from each, and that it is one of them.
    pub(super) fn either(&self, [a, b]: [&Expr; 2], outcome: bool, scope: &FunctionScope) -> Known {
        if cases(a) + cases(b) > MOST_CASES {
            return Known::default();
        }
        let (of_a, not_a) = (self.implied(a, outcome, scope), self.implied(a, !outcome, scope));
        let mut with = self.clone();
        with.extend(not_a.clone());
        let mut of_b = with.implied(b, outcome, scope);
        of_b.extend(not_a);
        let mut facts = of_a.common(&of_b);
        if is_comparison(a) && is_comparison(b) {
            facts.alternatives.push([(a.clone(), outcome), (b.clone(), outcome)]);
        }
        facts
    }

    /// What both say.
    fn common(&self, other: &Known) -> Known {
        let mut facts = Known::default();
        for (e, range) in self.ranges() {
            let of_other = other.ranges().find(|(own, _)| same(own, e));
            of_other.into_iter().for_each(|(_, own)| facts.learn(e, range.clone().hull(own)));
        }
        for (less, more, strictly) in self.orders() {
            let is_it = |(a, b, _): &&(Expr, Expr, bool)| same(a, less) && same(b, more);
            let of_other = other.orders().iter().find(is_it);
            of_other.into_iter().for_each(|(.., own)| facts.order(less, more, *strictly && *own));
        }
        facts
    }

    /// What follows if a comparison has an outcome that leaves only the other one of two conditions.
    pub(super) fn other_alternatives(&self, cond: &Expr, outcome: bool, scope: &FunctionScope) -> Known {
        let mut facts = Known::default();
        for (at, alternative) in self.alternatives.iter().enumerate() {
            let [a, b] = alternative;
            for ((denied, of), (rest, of_rest)) in [(a, b), (b, a)] {
                if denies(cond, outcome, denied, *of) {
                    let mut without = self.clone();
                    without.alternatives.remove(at);
                    facts.extend(without.implied(rest, *of_rest, scope));
                }
            }
        }
        facts
    }

    /// Forgets the alternatives that mention variables.
    pub(super) fn forget_alternatives(&mut self, vars: &HashSet<VarId>) {
        self.alternatives.retain(|of| !of.iter().any(|(e, _)| mentions(e, vars)));
    }
}

/// Whether a comparison with an outcome says that another one does not have an outcome.
fn denies(cond: &Expr, outcome: bool, other: &Expr, of_other: bool) -> bool {
    let (ExprKind::Binary(op, a, b), ExprKind::Binary(other_op, c, d)) = (&cond.kind, &other.kind) else {
        return false;
    };
    let relation = |op: BinaryOp, outcome: bool| if outcome { op } else { negated(op) };
    let (op, other_op) = (relation(*op, outcome), relation(*other_op, of_other));
    op == negated(other_op) && same(a, c) && same(b, d)
        || turned(op) == negated(other_op) && same(a, d) && same(b, c)
}

/// The comparison with its operands the other way around.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// Whether a condition compares integers which change only when a variable in it is assigned.
fn is_comparison(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Binary(op, a, b)
        if op.is_comparison() && integer(a).is_some() && is_readable(a) && is_readable(b))
}

/// The comparisons in a condition.
fn cases(cond: &Expr) -> usize {
    let mut count = 0;
    visit::expr(cond, &mut |e| {
        let is_joint = matches!(e.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
        count += usize::from(is_joint || matches!(e.kind, ExprKind::Unary(UnaryOp::Not, _)));
    });
    count + 1
}
