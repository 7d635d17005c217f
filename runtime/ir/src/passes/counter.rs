//! Counters of loops: variables that are raised at one place of a loop, as an index that runs along a row.

use std::collections::HashSet;

use crate::ir::{BinaryOp, Block, Expr, ExprKind, Quantity, RangeLoop, StmtKind, VarId, visit};
use crate::ranges::{FunctionScope, Known, Range, assigned, integer, joined, root};

/// A statement that raises a variable: its amount, and the conditions around it.
struct Raise<'b> {
    place: &'b Expr,
    by: &'b Expr,
    guards: Vec<(&'b Expr, bool)>,
    /// Loops around it, in the body.
    loops: Vec<&'b RangeLoop>,
}

/// A variable that a loop counts with.
pub(super) struct Counter {
    pub place: Expr,
    /// Its range where an iteration begins.
    pub begins: Range,
    /// Its range anywhere in the loop and after it.
    pub whole: Range,
}

/// The variables that a loop's body raises at one place alone, with their ranges.
///
/// `entry` holds before the loop, `known` in all of its iterations. Unsigned arithmetic that wraps gives less, so the sum
/// of all raises is a bound.
pub(super) fn counters(
    range: &RangeLoop,
    body: &Block,
    scope: &FunctionScope,
    entry: &Known,
    known: &Known,
    untracked: &HashSet<VarId>,
) -> Vec<Counter> {
    let (mut raises, changing) = (Vec::new(), assigned(body));
    raises_in(body, &mut Vec::new(), &mut Vec::new(), &mut raises);
    let once = |raise: &&Raise| {
        let var = root(raise.place);
        var.is_some_and(|var| !untracked.contains(&var) && assignments(body, var) == 1)
    };
    let counter = |raise: &Raise| {
        let mut facts = known.clone();
        for (cond, outcome) in &raise.guards {
            facts.extend(facts.implied(cond, *outcome, scope));
            // A variable that the body assigns may have another value where the raise stands.
            facts.forget(&changing);
        }
        raised(range, raise, scope, (entry, &facts))
    };
    raises.iter().filter(once).filter_map(counter).collect()
}

/// The ranges of a counter: where it begins, and a raise for each value of the loop's variable that has one.
fn raised(
    range: &RangeLoop,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Counter> {
    let scalar = integer(raise.place)?;
    let var = Expr { kind: ExprKind::Var(range.var), ty: range.start.ty.clone() };
    let (first, last) = (scope.range(&range.start, entry), scope.range(&var, facts));
    let (begin, by) = (scope.range(raise.place, entry), scope.range(raise.by, facts).lasting());
    let mut needs = [&begin.needs, &last.needs, &by.needs, &first.low_needs]
        .into_iter()
        .fold(scope.ensure_positive(raise.by, &by)?, |all, more| joined(&all, more));
    let mut each = by.high;
    for inner in &raise.loops {
        let (from, to) = (scope.range(&inner.start, facts), scope.range(&inner.end, facts).lasting());
        let past = to.high.plus(i128::from(inner.inclusive)).sum(from.lasting().low.negated());
        each = each.product(past.greatest(Quantity::Const(0)));
        needs = joined(&joined(&needs, &to.needs), &scope.range(&inner.start, facts).low_needs);
    }
    // An unknown number of one iteration differs from that of the next.
    if !last.high.is_known() || !first.low.is_known() {
        return None;
    }
    let earlier = last.high.sum(first.low.negated());
    let all = earlier.clone().plus(1).greatest(Quantity::Const(0));
    let after = |times: Quantity| {
        let high = begin.high.clone().sum(each.clone().product(times));
        let range =
            Range { low: begin.low.clone(), high, needs: needs.clone(), low_needs: begin.low_needs.clone() };
        if scalar.is_unsigned() { Some(scope.fewer(range, scalar)) } else { scope.exact(range, scalar) }
    };
    let whole = after(all)?;
    let begins = Range { low: whole.low.clone(), low_needs: whole.low_needs.clone(), ..after(earlier)? };
    // No sum wraps at the beginning of an iteration if none does in the whole.
    let begins = if scalar.is_unsigned() { begins } else { Range { needs: whole.needs.clone(), ..begins } };
    Some(Counter { place: raise.place.clone(), begins, whole })
}

/// Statements `v += e` on an integer variable, with their guards and the loops over ranges around them.
fn raises_in<'b>(
    block: &'b Block,
    guards: &mut Vec<(&'b Expr, bool)>,
    loops: &mut Vec<&'b RangeLoop>,
    raises: &mut Vec<Raise<'b>>,
) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Assign { place, op: Some(BinaryOp::Add), value }
                if matches!(place.kind, ExprKind::Var(_)) && integer(place).is_some() =>
            {
                raises.push(Raise { place, by: value, guards: guards.clone(), loops: loops.clone() });
            }
            StmtKind::If { cond, then, otherwise } => {
                for (branch, outcome) in [(then, true), (otherwise, false)] {
                    guards.push((cond, outcome));
                    raises_in(branch, guards, loops, raises);
                    guards.pop();
                }
            }
            StmtKind::For { range, body, .. } => {
                loops.push(range);
                // Guards about a loop's own variables hold for one iteration.
                let mut none = Vec::new();
                raises_in(body, &mut none, loops, raises);
                loops.pop();
            }
            StmtKind::Block(inner) => raises_in(inner, guards, loops, raises),
            _ => {}
        }
    }
}

/// The number of statements of a block that assign a variable, or a part of it.
fn assignments(block: &Block, var: VarId) -> usize {
    let mut count = 0;
    visit::stmts(block, &mut |stmt| {
        if let StmtKind::Assign { place, .. } = &stmt.kind {
            count += usize::from(root(place) == Some(var));
        }
    });
    count
}
