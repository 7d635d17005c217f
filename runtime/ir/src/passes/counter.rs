//! Counters of loops: variables that each iteration raises once at most, as an index that runs along a row.

use std::collections::HashSet;

use crate::ir::{BinaryOp, Block, Expr, ExprKind, Quantity, RangeLoop, StmtKind, VarId, visit};
use crate::ranges::{FunctionScope, Known, Range, assigned, root};

/// Where a variable is raised: by how much, and under which conditions.
struct Raise<'b> {
    place: &'b Expr,
    by: &'b Expr,
    guards: Vec<(&'b Expr, bool)>,
}

/// The variables that a loop's body raises once at most in each iteration, and does not change otherwise, with
/// their ranges anywhere in the loop and after it.
///
/// `entry` is what is known before the loop, `known` what is known in all of its iterations, and `var` the range
/// of the loop's variable. Unsigned arithmetic that wraps gives less, so that the sum of all raises is a bound.
pub(super) fn counters(
    range: &RangeLoop,
    body: &Block,
    scope: &FunctionScope,
    entry: &Known,
    known: &Known,
    untracked: &HashSet<VarId>,
) -> Vec<(Expr, Range)> {
    let (mut raises, changing) = (Vec::new(), assigned(body));
    raises_in(body, &mut Vec::new(), &mut raises);
    let once = |raise: &&Raise| {
        let var = root(raise.place);
        var.is_some_and(|var| !untracked.contains(&var) && assignments(body, var) == 1)
    };
    let counter = |raise: &Raise| {
        let mut facts = known.clone();
        for (cond, outcome) in &raise.guards {
            facts.extend(facts.implied(cond, *outcome, scope, untracked));
            // What the body assigns may be another value where the raise stands.
            facts.forget(&changing);
        }
        let range = raised(range, raise, scope, entry, &facts)?;
        Some((raise.place.clone(), range))
    };
    raises.iter().filter(once).filter_map(counter).collect()
}

/// The range of a counter: where it begins, and a raise for each value of the loop's variable that has one.
fn raised(
    range: &RangeLoop,
    raise: &Raise,
    scope: &FunctionScope,
    entry: &Known,
    facts: &Known,
) -> Option<Range> {
    let var = Expr { kind: ExprKind::Var(range.var), ty: range.start.ty.clone() };
    let (first, last) = (scope.range(&range.start, entry), scope.range(&var, facts));
    let (begin, by) = (scope.range(raise.place, entry), scope.range(raise.by, facts));
    // What is unknown in one iteration is another thing in the next.
    if !last.high.is_known() || !by.high.is_known() || by.low < 0 {
        return None;
    }
    let times = last.high.plus(1 - first.low).greatest(Quantity::Const(0));
    let high = begin.high.sum(by.high.product(times));
    let all = Range { low: 0, high, needs: begin.needs };
    Some(all.needing(&last.needs).needing(&by.needs).needing(&first.needs))
}

/// Statements `v += e` on an unsigned variable that are in no loop of the block, with their guards.
fn raises_in<'b>(block: &'b Block, guards: &mut Vec<(&'b Expr, bool)>, raises: &mut Vec<Raise<'b>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Assign { place, op: Some(BinaryOp::Add), value }
                if matches!(place.kind, ExprKind::Var(_))
                    && place.ty.scalar().is_some_and(crate::ir::Scalar::is_unsigned) =>
            {
                raises.push(Raise { place, by: value, guards: guards.clone() });
            }
            StmtKind::If { cond, then, otherwise } => {
                for (branch, outcome) in [(then, true), (otherwise, false)] {
                    guards.push((cond, outcome));
                    raises_in(branch, guards, raises);
                    guards.pop();
                }
            }
            StmtKind::Block(inner) => raises_in(inner, guards, raises),
            _ => {}
        }
    }
}

/// How many statements of a block assign a variable, or a part of it.
fn assignments(block: &Block, var: VarId) -> usize {
    let mut count = 0;
    visit::stmts(block, &mut |stmt| {
        if let StmtKind::Assign { place, .. } = &stmt.kind {
            count += usize::from(root(place) == Some(var));
        }
    });
    count
}
