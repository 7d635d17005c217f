//! The facts that guards, loops and assertions give about expressions.
//!
//! A fact holds where its guard dominates, until a variable in it is assigned.

use std::collections::HashSet;

use super::addends::addends;
use super::choice::Choice;
use super::given::Given;
use super::loads::{has_load, is_load, mentions};
use super::products::Product;
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, Quantity, ResultRange, Scalar, Type, UnaryOp, VarId, visit};

/// Sums that a guard of a greater one tells of, at most.
const MOST_SUMS: i128 = 16;

/// The first is at most the second, or less.
pub(crate) type Order = (Expr, Expr, bool);

/// Two conditions with outcomes, of which at least one is so.
pub(super) type Alternative = [(Expr, bool); 2];

/// Where the variable has the first outcome, the condition has the second.
pub(super) type Flag = (VarId, bool, Expr, bool);

/// The facts at one place of a function.
#[derive(Clone, Default)]
pub(crate) struct Known {
    ranges: Vec<(Expr, Range)>,
    /// The first is at most the second, or less.
    pub(super) orders: Vec<Order>,
    /// Pairs of conditions of which one holds at least.
    pub(super) alternatives: Vec<Alternative>,
    /// Variables that were given an expression whose variables have not changed since.
    aliases: Vec<(VarId, Expr)>,
    /// Pairs of variables with a bounded product.
    pub(super) products: Vec<Product>,
    /// Enums that hold no integer.
    pub(super) empty: Vec<VarId>,
    /// By which conditions enums were chosen.
    pub(super) choices: Vec<(VarId, Choice)>,
    /// Conditions that variables tell of.
    pub(super) flags: Vec<Flag>,
    /// What the calls of a statement give, before variables have it.
    pub given: Given,
}

impl Known {
    /// Ranges of expressions.
    pub fn ranges(&self) -> impl Iterator<Item = &(Expr, Range)> {
        self.ranges.iter()
    }

    /// Returns whether `a` is known to be at most `b`.
    ///
    /// The successor of a lesser number is no more, and does not wrap.
    pub fn is_ordered(&self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (strip(a), strip(b));
        self.orders.iter().any(|(less, more, _)| same(less, a) && same(more, b))
            || successor(a).is_some_and(|before| before.ty == b.ty && self.is_less(before, b))
    }

    /// Adds that the first is at most the second, or less.
    pub(super) fn order(&mut self, less: &Expr, more: &Expr, strictly: bool) {
        if is_readable(less) && is_readable(more) {
            self.orders.push((strip(less).clone(), strip(more).clone(), strictly));
        }
    }

    /// Returns whether the successor of `a` is known to be at most `b`: then `a` is less than `b`, unless the successor wraps.
    pub fn is_followed(&self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (strip(a), strip(b));
        let follows = |less: &Expr| successor(less).is_some_and(|e| e.ty == b.ty && same(strip(e), a));
        self.orders.iter().any(|(less, more, _)| same(more, b) && follows(less))
    }

    /// Returns whether `a` is known to be less than `b`.
    pub fn is_less(&self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (strip(a), strip(b));
        self.orders.iter().any(|(less, more, strictly)| *strictly && same(less, a) && same(more, b))
    }

    /// What is known to be less than `e`.
    pub fn below<'k>(&'k self, e: &'k Expr) -> impl Iterator<Item = &'k Expr> {
        let is_below = |(_, more, strictly): &&(Expr, Expr, bool)| *strictly && same(more, strip(e));
        self.orders.iter().filter(is_below).map(|(less, ..)| less)
    }

    /// What `e` is known to be at most, and whether it is less.
    pub(super) fn above_or_at<'k>(&'k self, e: &Expr) -> impl Iterator<Item = (&'k Expr, bool)> {
        let is_it = |(less, ..): &&(Expr, Expr, bool)| same(less, strip(e));
        self.orders.iter().filter(is_it).map(|(_, more, strictly)| (more, *strictly))
    }

    /// What `e` is known to be at least, and whether it is more.
    pub(super) fn below_or_at<'k>(&'k self, e: &Expr) -> impl Iterator<Item = (&'k Expr, bool)> {
        let is_it = |(_, more, _): &&(Expr, Expr, bool)| same(more, strip(e));
        self.orders.iter().filter(is_it).map(|(less, _, strictly)| (less, *strictly))
    }

    /// Forgets the facts about variables.
    pub fn forget(&mut self, vars: &HashSet<VarId>) {
        self.ranges.retain(|(e, _)| !mentions(e, vars));
        self.orders.retain(|(a, b, _)| !mentions(a, vars) && !mentions(b, vars));
        self.aliases.retain(|(var, e)| !vars.contains(var) && !mentions(e, vars));
        self.empty.retain(|var| !vars.contains(var));
        self.choices.retain(|(var, choice)| !vars.contains(var) && !choice.mentions(vars));
        self.given.forget(vars);
        self.forget_products(vars);
        self.forget_alternatives(vars);
        self.forget_flags(vars);
    }

    /// Keeps the facts about expressions for which something holds.
    pub(super) fn retain(&mut self, keeps: &dyn Fn(&Expr) -> bool) {
        self.ranges.retain(|(e, _)| keeps(e));
        self.orders.retain(|(a, b, _)| keeps(a) && keeps(b));
        self.alternatives.retain(|of| of.iter().all(|(e, _)| keeps(e)));
    }

    /// Whether something is known of elements in memory.
    pub(super) fn has_loads(&self) -> bool {
        self.ranges.iter().any(|(e, _)| has_load(e))
            || self.orders.iter().any(|(a, b, _)| has_load(a) || has_load(b))
            || self.alternatives.iter().flatten().any(|(e, _)| has_load(e))
            || self.choices.iter().any(|(_, choice)| choice.has_load())
    }

    /// The facts without those about products, which may have wrapped.
    pub fn without_products(&self) -> Known {
        let mut known = self.clone();
        let is_product = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::Mul | BinaryOp::Shl, ..));
        known.ranges.retain(|(e, _)| {
            let mut has_product = false;
            visit::expr(e, &mut |e| has_product |= is_product(e));
            !has_product
        });
        known
    }

    /// Forgets the products of variables.
    pub fn forget_products(&mut self, vars: &HashSet<VarId>) {
        self.products.retain(|product| !product.mentions(vars));
    }

    /// Adds bounded products.
    pub fn learn_products(&mut self, products: Vec<Product>) {
        self.products.extend(products);
    }

    /// The bounded product of two variables.
    pub fn product(&self, a: &Expr, b: &Expr) -> Option<&Product> {
        self.products.iter().find(|product| same(&product.factors[0], a) && same(&product.factors[1], b))
    }

    /// Adds that an expression is in a range.
    pub fn learn(&mut self, e: &Expr, range: Range) {
        if is_readable(e) && e.as_int().is_none() {
            self.ranges.push((strip(e).clone(), range));
        }
    }

    /// Adds that a loop's variable is at most what the loop ends at.
    ///
    /// Before `e + 1` it is at most `e`: should that sum wrap, there is no iteration.
    pub fn stays_below(&mut self, var: &Expr, end: &Expr, inclusive: bool) {
        let before = successor(end).filter(|_| !inclusive).map(|e| (e, false));
        let all = [Some((end, !inclusive)), before].into_iter().flatten();
        for (most, strictly) in all.filter(|(most, _)| is_trackable(most)) {
            self.orders.push((strip(var).clone(), strip(most).clone(), strictly));
        }
    }

    /// Adds that a loop's variable is at least what the loop starts at.
    ///
    /// From `e + 1` on it is more than `e`, if a number that the type of `e` holds is known to be more than `e`: then that sum does not
    /// wrap.
    pub fn stays_above(&mut self, var: &Expr, start: &Expr) {
        let before = successor(start).filter(|e| self.is_exceeded(e)).map(|e| (e, true));
        let all = [Some((start, false)), before].into_iter().flatten();
        for (least, strictly) in all.filter(|(least, _)| is_trackable(least)) {
            self.orders.push((strip(least).clone(), strip(var).clone(), strictly));
        }
    }

    /// Adds facts.
    pub fn extend(&mut self, other: Known) {
        self.ranges.extend(other.ranges);
        self.orders.extend(other.orders);
        self.alternatives.extend(other.alternatives);
        self.flags.extend(other.flags);
        self.aliases.extend(other.aliases);
        self.products.extend(other.products);
        self.empty.extend(other.empty);
        self.choices.extend(other.choices);
    }

    /// Notes the expression that a variable is given.
    pub fn name(&mut self, var: VarId, e: &Expr) {
        self.aliases.retain(|(own, _)| *own != var);
        if is_readable(e) && e.as_int().is_none() {
            self.aliases.push((var, e.clone()));
        }
    }

    /// The expression whose value a variable has.
    pub fn alias(&self, e: &Expr) -> Option<&Expr> {
        let ExprKind::Var(var) = e.kind else { return None };
        self.aliases.iter().find(|(own, _)| *own == var).map(|(_, e)| e)
    }

    /// The facts of a condition that is `outcome`, where this is known already.
    pub fn implied(&self, cond: &Expr, outcome: bool, scope: &FunctionScope) -> Known {
        let mut facts = Known::default();
        match &cond.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => return self.implied(inner, !outcome, scope),
            // A condition with a name.
            ExprKind::Var(var) if let Some(named) = scope.definitions.get(var) => {
                return self.implied(named, outcome, scope);
            }
            ExprKind::Var(var) if let Some((parts, of)) = scope.conditions.get(var) => {
                return if *of == outcome { self.implied(parts, outcome, scope) } else { facts };
            }
            ExprKind::Var(var) => return self.flagged(*var, outcome, scope),
            ExprKind::Call { .. } | ExprKind::CallClosure { .. } => {
                return scope
                    .called_condition(cond)
                    .map_or(facts, |cond| self.implied(&cond, outcome, scope));
            }
            ExprKind::Builtin { op, args, .. } if outcome => {
                if let (ResultRange::Tells(low, high), Some(of)) = (op.facts.result, args.first()) {
                    facts.learn(of, Range::numbers(low.into(), high.into()));
                }
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if outcome == (*op == BinaryOp::And) =>
            {
                facts = self.implied(a, outcome, scope);
                let mut with = self.clone();
                with.extend(facts.clone());
                facts.extend(with.implied(b, outcome, scope));
                return facts;
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                facts = self.rest(*op, [a, b], scope)
            }
            ExprKind::Binary(op, a, b) if integer(a).is_some() => {
                let relation = if outcome { *op } else { negated(*op) };
                let (less, more, gap) = match relation {
                    BinaryOp::Lt => (a, b, 1),
                    BinaryOp::Le => (a, b, 0),
                    BinaryOp::Gt => (b, a, 1),
                    BinaryOp::Ge => (b, a, 0),
                    BinaryOp::Eq => {
                        facts.relate(a, b, 0, self, scope);
                        (b, a, 0)
                    }
                    BinaryOp::Ne if is_zero(a) || self.is_ordered(a, b) => (a, b, 1),
                    BinaryOp::Ne if is_zero(b) || self.is_ordered(b, a) => (b, a, 1),
                    BinaryOp::Ne => {
                        facts.differ(a, b, self, scope);
                        facts.forget(&scope.untracked);
                        return facts;
                    }
                    _ => return facts,
                };
                facts.relate(less, more, gap, self, scope);
                facts.extend(self.other_alternatives(cond, outcome, scope));
                if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    facts.has_tag([a, b], outcome == (*op == BinaryOp::Eq), self, scope);
                }
            }
            _ => {}
        }
        facts.forget(&scope.untracked);
        facts.read(self);
        facts.keep_lent(scope);
        facts
    }

    /// Adds what `less + gap <= more` tells of both, and of the parts of a sum.
    fn relate(&mut self, less: &Expr, more: &Expr, gap: i128, known: &Known, scope: &FunctionScope) {
        let (below, above) = (scope.range(less, known), scope.range(more, known));
        if let Some(scalar) = integer(less) {
            self.at_most(less, Range::at_most(scalar, above.high.plus(-gap), above.needs), known, scope);
        }
        if let Some(scalar) = integer(more) {
            self.at_least(more, Range::at_least(scalar, below.low.plus(gap), below.low_needs), known, scope);
        }
        self.order(less, more, gap > 0);
    }

    /// Adds that an expression is at least a number, and what that says of what it is made of.
    pub(super) fn at_least(&mut self, e: &Expr, range: Range, known: &Known, scope: &FunctionScope) {
        self.difference_is_more(e, &range, known, scope);
        self.part_is_more(e, &range, known, scope);
        self.dividend_is_more(e, &range, known, scope);
        self.learn(e, range);
    }

    /// Adds that an expression is in a range, and what that says of the parts of a sum.
    pub(super) fn at_most(&mut self, e: &Expr, range: Range, known: &Known, scope: &FunctionScope) {
        let sum = strip(e);
        if let ExprKind::Binary(BinaryOp::Add, a, b) = &sum.kind
            && let Some((_, most)) = integer(sum).and_then(Scalar::int_range)
        {
            let (of_a, of_b) = (scope.range(a, known), scope.range(b, known));
            // The sum of the parts must not have wrapped.
            let whole = of_a.high.clone().sum(of_b.high.clone());
            let fits = scope.ensure(whole, Quantity::Const(most + 1));
            let positive = |e: &Expr, of: &Range| scope.ensure_positive(e, of);
            if let (Some(fits), Some(one), Some(other)) = (fits, positive(a, &of_a), positive(b, &of_b)) {
                let needs = [&range.needs, &of_a.needs, &of_b.needs, &one, &other];
                let needs = needs.into_iter().fold(fits, |all, more| joined(&all, more));
                if let Some(wraps_not) = scope.is_exact(b, known) {
                    let needs = joined(&needs, &wraps_not);
                    for (less, by) in lesser_sums(sum, a, b) {
                        let fact = Range::new(Quantity::Const(0), range.high.clone().plus(-by));
                        self.learn(&less, fact.needing(&needs));
                    }
                }
                for (part, other) in [(a, of_b), (b, of_a)] {
                    let high = range.high.clone().sum(other.low.negated());
                    let needs = joined(&needs, &other.low_needs);
                    let range = Range::at_most(integer(part).unwrap_or(Scalar::U64), high, needs);
                    self.dividend_is(part, &range, known, scope);
                    self.learn(part, range);
                }
            }
        }
        self.product_is(e, &range, known, scope);
        self.factor_is(e, &range, known, scope);
        self.dividend_is(e, &range, known, scope);
        self.difference_is_less(e, &range, known, scope);
        self.cast_is(e, &range);
        self.learn(e, range);
    }

    /// Learns of `x * n + n` what is known of `(x + 1) * n`: they are the same, also where they wrap.
    fn product_is(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        let product = strip(e);
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &product.kind else { return };
        for (sum, n) in [(a, b), (b, a)] {
            let Some(x) = successor(sum).filter(|x| x.ty == product.ty && sum.ty == product.ty) else {
                continue;
            };
            let whole = Expr::binary(BinaryOp::Mul, x.clone(), n.as_ref().clone());
            let sum = Expr::binary(BinaryOp::Add, whole, n.as_ref().clone());
            self.at_most(&sum, range.clone(), known, scope);
        }
    }

    /// Learns the range of `x` from the greatest value of `x * c`, and the range of the product itself: it is a multiple.
    fn factor_is(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &strip(e).kind else { return };
        let (x, c) = match (scope.look(a).as_int(), scope.look(b).as_int()) {
            (_, Some(c)) => (a, c),
            (Some(c), _) => (b, c),
            _ => return,
        };
        let (Some(scalar), true) = (integer(x), c > 1) else { return };
        let Some((_, most)) = scalar.int_range() else { return };
        let of_x = scope.range(x, known);
        let times = Quantity::Const(c);
        let exact = scope.ensure(of_x.high.clone().product(times.clone()), Quantity::Const(most + 1));
        let (Some(fits), Some(positive)) = (exact, scope.ensure_positive(x, &of_x)) else { return };
        let needs = [&range.needs, &of_x.needs, &positive];
        let needs = needs.into_iter().fold(fits, |all, more| joined(&all, more));
        let factor = range.high.clone().quotient(c);
        self.at_most(x, Range::at_most(scalar, factor.clone(), needs.clone()), known, scope);
        self.learn(e, Range::at_most(scalar, factor.product(times), needs));
    }

    /// Learns the range of a signed number from that of the unsigned number that it is cast to: a negative one would be
    /// greater than all others.
    fn cast_is(&mut self, e: &Expr, range: &Range) {
        let ExprKind::Cast(inner) = &e.kind else { return };
        let (Some(from), Some(to)) = (integer(inner), integer(e)) else { return };
        if !from.is_signed() || !to.is_unsigned() || from.bits() > to.bits() {
            return;
        }
        let least_of_negative = (1i128 << to.bits()) - (1 << (from.bits() - 1));
        if range.high.most() < least_of_negative {
            let fact = Range::new(Quantity::Const(0), range.high.clone());
            self.learn(inner, fact.needing(&range.needs));
        }
    }
}

/// The sums below `a + c * b` or `a + c` that a kernel with a guard of that is likely to use, and by how much they are less at least.
fn lesser_sums(e: &Expr, a: &Expr, b: &Expr) -> Vec<(Expr, i128)> {
    let with = |part: Expr| Expr {
        kind: ExprKind::Binary(BinaryOp::Add, a.clone().into(), part.into()),
        ty: e.ty.clone(),
    };
    let count = |n: i128| {
        let value = crate::ir::ConstValue::Int(n);
        Expr::constant(value, b.ty.clone())
    };
    let counts = |most: i128| (1..most.min(MOST_SUMS)).map(count);
    match &b.kind {
        ExprKind::Binary(BinaryOp::Mul, n, by) if n.as_int().is_some_and(|n| n > 1) => {
            let times = |n: Expr| {
                let kind = ExprKind::Binary(BinaryOp::Mul, n.into(), by.clone());
                with(Expr { kind, ty: b.ty.clone() })
            };
            let several = counts(n.as_int().unwrap_or(0)).map(times);
            several.chain([with((**by).clone())]).map(|less| (less, 0)).collect()
        }
        _ => {
            let most = b.as_int().unwrap_or(0);
            (1..most.min(MOST_SUMS)).map(|n| (with(count(n)), most - n)).collect()
        }
    }
}

/// `e` of `e + 1`.
fn successor(sum: &Expr) -> Option<&Expr> {
    match &strip(sum).kind {
        ExprKind::Binary(BinaryOp::Add, e, n) if n.as_int() == Some(1) => Some(e),
        _ => None,
    }
}

/// Returns whether nothing of the type is less: what differs from it is above it.
fn is_zero(e: &Expr) -> bool {
    e.as_int() == Some(0) && integer(e).is_some_and(Scalar::is_unsigned)
}

/// The comparison that holds when this one does not.
pub(super) fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        other => other,
    }
}

/// An expression without the casts that leave its value as it is.
pub(crate) fn strip(e: &Expr) -> &Expr {
    if let ExprKind::Cast(inner) = &e.kind
        && let (Some(from), Some(to)) = (integer(inner), integer(e))
        && from.is_unsigned()
        && (from.bits() < to.bits() || (from.bits() == to.bits() && to.is_unsigned()))
    {
        return strip(inner);
    }
    e
}

/// Returns whether two expressions give the same while no variable in them is assigned.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    let loads = || is_load(a) && is_load(b) && a.ty == b.ty;
    if !a.is_same_operation(b) && !loads() {
        return false;
    }
    let (of_a, of_b) = (a.operands(), b.operands());
    if of_a.len() != of_b.len() {
        return false;
    }
    if integer(a).is_some() && a.ty == b.ty && matches!(a.kind, ExprKind::Binary(BinaryOp::Add, ..)) {
        // What wraps, wraps alike, in whatever order it is added.
        let (of_a, mut rest) = (addends(a), addends(b));
        let mut take = |e: &Expr| rest.iter().position(|own| same(own, e)).map(|at| rest.swap_remove(at));
        return of_a.iter().all(|e| take(e).is_some()) && rest.is_empty();
    }
    let is_same = of_a.iter().zip(&of_b).all(|(a, b)| same(a, b));
    // Products of integers in the other order.
    let commutes = integer(a).is_some() && matches!(a.kind, ExprKind::Binary(BinaryOp::Mul, ..));
    is_same || commutes && of_a.iter().zip(of_b.iter().rev()).all(|(a, b)| same(a, b))
}

/// Returns whether an expression changes only when a variable in it is assigned.
fn is_trackable(e: &Expr) -> bool {
    is_trackable_itself(e) && e.all_operands(is_trackable)
}

fn is_trackable_itself(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Len(_) => true,
        ExprKind::Field(base, _) => !matches!(base.ty, Type::Ref { .. }),
        ExprKind::Builtin { op, .. } => op.position().is_some() || op.facts.result.is_of_arguments(),
        _ => e.is_operator(),
    }
}

/// The same, or an element of a slice that no one writes.
pub(crate) fn is_readable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Index { index, .. } if is_load(e) => is_readable(index),
        _ if e.operands().is_empty() => is_trackable(e),
        _ => is_trackable_itself(e) && e.all_operands(is_readable),
    }
}
