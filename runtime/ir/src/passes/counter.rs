//! Counters of loops: variables that are raised or lowered at one place of a loop, as an index that runs along a row.

use std::collections::HashSet;

use super::elide::leaves;
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, LoopId, Quantity, RangeLoop, ResultRange, Scalar, StmtKind,
    VarId, visit,
};
use crate::ranges::{FunctionScope, Known, Range, assigned, integer, joined, root, same};

/// A statement that raises or lowers a variable: its amount, and the conditions around it.
struct Raise<'b> {
    place: &'b Expr,
    lowers: bool,
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
    /// Its least value after the loop, if every iteration raises it.
    pub after: Option<Range>,
}

/// The variables that a loop's body raises or lowers at one place alone, with their ranges.
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
    let mut raises = Vec::new();
    raises_in(body, &mut Vec::new(), &mut Vec::new(), &mut raises);
    let once = |raise: &&Raise| {
        let var = root(raise.place);
        var.is_some_and(|var| !untracked.contains(&var) && assignments(body, var) == 1)
    };
    let counter = |raise: &Raise| {
        let (turns, facts) = turns_of(range, body, raise, scope, (entry, known));
        if raise.lowers {
            return falling(&turns, raise, scope, (entry, &facts));
        }
        let counter = raised(&turns, raise, scope, (entry, &facts))?;
        let after = least_after(range, body, raise, &counter.whole, scope, (entry, &facts));
        Some(Counter { after, ..counter })
    };
    raises.iter().filter(once).filter_map(counter).collect()
}

/// The values of a loop's variable in the iterations that raise a counter, with what is known there.
fn turns_of(
    range: &RangeLoop,
    body: &Block,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, known): (&Known, &Known),
) -> (Turns, Known) {
    let var = Expr { kind: ExprKind::Var(range.var), ty: range.start.ty.clone() };
    let (first, any) = (scope.range(&range.start, entry), scope.range(&var, known));
    let (mut facts, changing) = (known.clone(), assigned(body));
    for (cond, outcome) in &raise.guards {
        facts.extend(facts.implied(cond, *outcome, scope));
        // A variable that the body assigns may have another value where the raise stands.
        facts.forget(&changing);
    }
    (Turns { first, last: scope.range(&var, &facts), any }, facts)
}

/// The ranges of a counter: where it begins, and a raise for each value of the loop's variable that has one.
fn raised(
    turns: &Turns,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Counter> {
    let scalar = integer(raise.place)?;
    let Sum { begin, each, earlier, all, needs } = sum_of(turns, raise, scope, (entry, facts))?;
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
    Some(Counter { place: raise.place.clone(), begins, whole, after: None })
}

/// The ranges of a counter that is lowered. After the last iteration it may have wrapped.
fn falling(
    turns: &Turns,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Counter> {
    let scalar = integer(raise.place)?;
    let Sum { begin, each, earlier, all, needs } = sum_of(turns, raise, scope, (entry, facts))?;
    let needs = joined(&needs, &begin.low_needs);
    let after = |times: Quantity| {
        let low = begin.low.clone().sum(each.clone().product(times).negated());
        let high = begin.high.clone();
        scope.exact(Range { low, high, needs: needs.clone(), low_needs: needs.clone() }, scalar)
    };
    let whole = after(all).unwrap_or_else(|| Range::of_type(scalar));
    Some(Counter { place: raise.place.clone(), begins: after(earlier)?, whole, after: None })
}

/// The least value of a counter after a loop all of whose iterations raise it.
fn least_after(
    range: &RangeLoop,
    body: &Block,
    raise: &Raise,
    whole: &Range,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Range> {
    let mut leaves = range.step.is_some() || !raise.guards.is_empty() || !raise.loops.is_empty();
    visit::stmts(body, &mut |stmt| {
        leaves |= matches!(stmt.kind, StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_));
    });
    let scalar = integer(raise.place).filter(|_| !leaves)?;
    let [begin, start, end] =
        [raise.place, &range.start, &range.end].map(|e| scope.range(e, entry).lasting());
    let by = scope.range(raise.by, facts).lasting();
    let positive = scope.ensure_positive(raise.by, &by)?;
    // The number itself, rather than what guards say of it.
    let value = scope.range(raise.by, &Known::default()).value();
    let by = value.map_or(by, |(value, needs)| Range::exactly(value).needing(&needs));
    let turns = end.low.sum(start.high.negated()).plus(i128::from(range.inclusive));
    let low = begin.low.sum(by.low.clone().product(turns.greatest(Quantity::Const(0))));
    // What has wrapped would be less.
    let fits = scope.ensure(whole.high.clone(), Quantity::Const(scalar.int_range()?.1 + 1))?;
    let needs = [&begin.low_needs, &start.needs, &end.low_needs, &by.low_needs, &whole.needs, &fits];
    let needs = needs.into_iter().fold(positive, |all, more| joined(&all, more));
    Some(Range::at_least(scalar, low, needs))
}

/// The ranges of a loop's variable in its first iteration, in those that raise a counter, and in any of them.
struct Turns {
    first: Range,
    last: Range,
    any: Range,
}

/// What a variable is at most after some iterations: where it begins, and the same number again for each.
struct Sum {
    begin: Range,
    each: Quantity,
    /// Raises at most before an iteration begins: it may be one that does not raise.
    earlier: Quantity,
    /// Raises at most.
    all: Quantity,
    needs: Vec<Condition>,
}

fn sum_of(
    turns: &Turns,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Sum> {
    let Turns { first, last, any } = turns;
    let (begin, by) = (scope.range(raise.place, entry), scope.range(raise.by, facts).lasting());
    let mut needs = [&begin.needs, &last.needs, &any.needs, &by.needs, &first.low_needs]
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
    let before = |last: &Range| last.high.clone().sum(first.low.clone().negated());
    let all = before(last).plus(1);
    let earlier = if any.high.is_known() { before(any) } else { all.clone() };
    let earlier = if raise.guards.is_empty() { earlier } else { earlier.least(all.clone()) };
    Some(Sum { begin, each, earlier, all: all.greatest(Quantity::Const(0)), needs })
}

/// A variable that a loop raises at one place and lowers at others, as the number of elements of a queue or a stack.
pub(super) struct Pile {
    pub place: Expr,
    /// What it is at most where an iteration begins.
    pub begins: Range,
    /// What it is at most wherever it stands in the loop, and after it.
    pub whole: Range,
}

/// The piles of a loop with a condition. It counts too: it adds one to a variable at the end of each iteration.
///
/// `entry` holds before the loop, `stays` in each of its iterations.
pub(super) fn queued(
    id: LoopId,
    body: &Block,
    scope: &FunctionScope,
    (entry, stays): (&Known, &Known),
    untracked: &HashSet<VarId>,
) -> Vec<Pile> {
    let Some((counter, turns)) = turns(id, body, scope, (entry, stays), untracked) else { return Vec::new() };
    let mut facts = stays.clone();
    // A variable that the body assigns may have another value where the raise stands.
    facts.forget(&assigned(body));
    let raises = pile_raises(body, scope, untracked);
    let raises = raises.iter().filter(|(raise, _)| root(raise.place) != Some(counter));
    raises.filter_map(|(raise, _)| pile(&turns, raise, scope, (entry, &facts))).collect()
}

/// The piles of a loop over a range; what it only raises is a counter.
pub(super) fn stacked(
    range: &RangeLoop,
    body: &Block,
    scope: &FunctionScope,
    (entry, known): (&Known, &Known),
    untracked: &HashSet<VarId>,
) -> Vec<Pile> {
    let raises = pile_raises(body, scope, untracked);
    let piles = raises.iter().filter(|(_, lowers)| *lowers > 0).filter_map(|(raise, _)| {
        let (turns, facts) = turns_of(range, body, raise, scope, (entry, known));
        pile(&turns, raise, scope, (entry, &facts))
    });
    piles.collect()
}

/// The raises of variables that a body otherwise only lowers, and at how many places it does.
fn pile_raises<'b>(
    body: &'b Block,
    scope: &FunctionScope,
    untracked: &HashSet<VarId>,
) -> Vec<(Raise<'b>, usize)> {
    let (mut raises, mut lowered) = (Vec::new(), Vec::new());
    raises_in(body, &mut Vec::new(), &mut Vec::new(), &mut raises);
    lowered_in(body, None, scope, &mut lowered);
    let of_pile = |raise: Raise<'b>| {
        let var = root(raise.place).filter(|var| !raise.lowers && !untracked.contains(var))?;
        let lowers = lowered.iter().filter(|own| **own == var).count();
        (assignments(body, var) == lowers + 1).then_some((raise, lowers))
    };
    raises.into_iter().filter_map(of_pile).collect()
}

fn pile(
    turns: &Turns,
    raise: &Raise,
    scope: &FunctionScope,
    (entry, facts): (&Known, &Known),
) -> Option<Pile> {
    let scalar = integer(raise.place)?;
    let Sum { begin, each, earlier, all, needs } = sum_of(turns, raise, scope, (entry, facts))?;
    let begin = begin.lasting().high;
    let high = |times: Quantity| begin.clone().sum(each.clone().product(times.greatest(Quantity::Const(0))));
    let (first, whole) = (high(earlier), high(all));
    // A sum that wraps would be less than it was only without a sign.
    let fits = match scalar.is_unsigned() {
        true => Vec::new(),
        false => scope.ensure(whole.clone(), Quantity::Const(scalar.int_range()?.1 + 1))?,
    };
    let needs = joined(&needs, &fits);
    let most = |high: Quantity| Range::at_most(scalar, high, needs.clone());
    Some(Pile { place: raise.place.clone(), begins: most(first), whole: most(whole) })
}

/// The variable by which a loop with a condition counts, with its ends.
fn turns(
    id: LoopId,
    body: &Block,
    scope: &FunctionScope,
    (entry, stays): (&Known, &Known),
    untracked: &HashSet<VarId>,
) -> Option<(VarId, Turns)> {
    let StmtKind::Assign { place, op: Some(BinaryOp::Add), value } = &body.stmts.last()?.kind else {
        return None;
    };
    let ExprKind::Var(var) = place.kind else { return None };
    let (_, most) = integer(place)?.int_range()?;
    let last = simplest(place, stays).unwrap_or_else(|| scope.range(place, stays)).lasting();
    // The sum does not wrap: something was more than the variable.
    let counts = value.as_int() == Some(1) && assignments(body, var) == 1 && last.high.most() < most;
    let is_tracked = !untracked.contains(&var) && !visit::continues(body, id);
    let first = scope.range(place, entry).lasting();
    (counts && is_tracked).then(|| (var, Turns { first, any: last.clone(), last }))
}

/// Of the facts about the greatest value of an expression, the one that rests on the fewest conditions.
fn simplest(e: &Expr, known: &Known) -> Option<Range> {
    let all =
        known.ranges().filter(|(of, fact)| same(of, e) && fact.high.is_known() && fact.high.is_telling());
    all.map(|(_, fact)| fact).min_by_key(|fact| fact.needs.len()).cloned()
}

/// The variables that statements lower, once for each: `v = v.saturating_sub(n)`, and `v -= n` directly in a block where `v` was just found
/// to be at least `n`, and that has not assigned it since.
fn lowered_in<'b>(
    block: &'b Block,
    mut guard: Option<(&'b Expr, bool)>,
    scope: &FunctionScope,
    lowered: &mut Vec<VarId>,
) {
    let mut changed = HashSet::new();
    for stmt in &block.stmts {
        if let StmtKind::Assign { place, op, value } = &stmt.kind
            && let ExprKind::Var(var) = place.kind
        {
            let is_found = |guard| !changed.contains(&var) && stays_above(place, value, guard, scope);
            let is_lower = match op {
                Some(BinaryOp::Sub) => guard.is_some_and(is_found),
                None => is_rest(place, value),
                _ => false,
            };
            lowered.extend(is_lower.then_some(var));
        }
        if let StmtKind::Assign { place, .. } = &stmt.kind {
            changed.extend(root(place));
        }
        let inner = match &stmt.kind {
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => Some(cond),
            _ => None,
        };
        for (at, inside) in visit::blocks(stmt).into_iter().enumerate() {
            lowered_in(inside, inner.map(|cond| (cond, at == 0)), scope, lowered);
            changed.extend(assigned(inside));
        }
        // Past a branch that leaves, its condition does not hold.
        if let StmtKind::If { cond, then, otherwise } = &stmt.kind
            && leaves(then)
        {
            (guard, changed) = (Some((cond, false)), assigned(otherwise));
        }
    }
}

/// Whether a value is what is left of a number without a sign: it is no more than that.
fn is_rest(place: &Expr, value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Builtin { op, args, .. }
        if op.facts.result == ResultRange::Remaining
            && integer(place).is_some_and(Scalar::is_unsigned)
            && args.first().is_some_and(|first| same(first, place)))
}

/// Whether a variable less a constant does not wrap where a condition has an outcome.
fn stays_above(place: &Expr, less: &Expr, (cond, outcome): (&Expr, bool), scope: &FunctionScope) -> bool {
    let least = integer(place).and_then(Scalar::int_range).map(|(least, _)| least);
    let held = scope.range(place, &Known::default().implied(cond, outcome, scope));
    let is_sure = held.low_needs.is_empty();
    let less = less.as_int().filter(|n| *n > 0);
    is_sure && less.zip(least).is_some_and(|(n, least)| held.low.minimum() >= least.saturating_add(n))
}

/// Statements `v += e` and `v -= e` on an integer variable, with their guards and the loops over ranges around them.
fn raises_in<'b>(
    block: &'b Block,
    guards: &mut Vec<(&'b Expr, bool)>,
    loops: &mut Vec<&'b RangeLoop>,
    raises: &mut Vec<Raise<'b>>,
) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Assign { place, op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)), value }
                if matches!(place.kind, ExprKind::Var(_)) && integer(place).is_some() =>
            {
                let lowers = *op == BinaryOp::Sub;
                raises.push(Raise { place, lowers, by: value, guards: guards.clone(), loops: loops.clone() });
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
