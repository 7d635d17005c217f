//! Invariants of loops: where the variables lie that a loop assigns, in all of its iterations and after it.
//!
//! The values of a variable never leave the ranges on the right of its assignments. If these rest on the variable itself,
//! as in `s /= 2`, the analysis assumes its range before the loop, and each assignment must keep it.

use std::collections::HashMap;

use super::elide::Walk;
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, Function, Quantity, Scalar, StmtKind, Type, VarId, visit,
};
use crate::ranges::{Range, integer, joined, root, same, tracked};

/// Rounds in which assumptions are weakened until all hold.
const ROUNDS: usize = 14;

/// Calls in each other that are searched for guards.
const CALLS: usize = 2;

/// Comparisons of a loop at most that are looked at for limits of a variable.
const LIMITS: usize = 4;

/// Ranges of what was assigned to variables.
pub(super) type Assigned = HashMap<VarId, Range>;

/// An integer that a loop assigns, with its range before the loop, or `None` if its enum held nothing then.
pub(super) type Entry = (Expr, Option<Range>);

/// The integers that a block assigns, each once: variables, and those in the enums that it assigns.
pub(super) fn assigned_integers(block: &Block) -> Vec<Expr> {
    let mut places: Vec<Expr> = Vec::new();
    visit::stmts(block, &mut |stmt| {
        let StmtKind::Assign { place, .. } = &stmt.kind else { return };
        let Some(place) = tracked(place) else { return };
        if !places.iter().any(|own| root(own) == root(&place)) {
            places.push(place);
        }
    });
    places
}

/// One end of the claim about a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assumption {
    /// None: the claim rests on the assignments alone.
    Free,
    /// That it stays where it was before the loop.
    Entry,
    /// That it stays where it was before the loop, or where one iteration put it.
    Stepped,
    /// The upper end: that it stays below a number which the loop compares with.
    Guarded,
    /// That it stays where any of the variables was before the loop.
    Among,
    /// The upper end: that it stays below a number that the loop compares with and does not change, or one step above it.
    Limited,
    /// The lower end: it is not below zero.
    Positive,
}

/// A variable that a loop assigns, with the claim about it.
struct Assumed {
    place: Expr,
    var: VarId,
    scalar: Scalar,
    entry: Range,
    /// The range of any of the loop's variables of the same type before the loop.
    among: Range,
    /// Its range by the assignments, whatever it was before.
    free: Range,
    held: Range,
    low: Assumption,
    high: Assumption,
    /// Numbers which the loop's comparisons keep integers of the type from exceeding, for a while.
    guards: Vec<i128>,
    /// Ranges of what the loop compares integers of the type with, and does not change; the last one is tried first.
    limits: Vec<Range>,
    /// Whether one step above the limit was tried.
    over: bool,
}

impl Assumed {
    /// The claim that the variable stays in its range before the loop, if that says more than the assignments.
    fn new(place: Expr, entry: Range, assigned: Option<&Range>) -> Option<Self> {
        let (var, scalar) = (root(&place)?, integer(&place)?);
        let all = Range::of_type(scalar);
        let free = assigned.map_or_else(|| entry.clone(), |assigned| entry.clone().hull(assigned));
        let end = |assumes: bool| if assumes { Assumption::Entry } else { Assumption::Free };
        let low = end(says_low(&entry, &all) && entry.low != free.low);
        let high = end(says_high(&entry, &all) && entry.high != free.high);
        let mut held = free.clone();
        if low == Assumption::Entry {
            (held.low, held.low_needs) = (entry.low.clone(), entry.low_needs.clone());
        }
        if high == Assumption::Entry {
            (held.high, held.needs) = (entry.high.clone(), entry.needs.clone());
        }
        let (among, guards, limits) = (entry.clone(), Vec::new(), Vec::new());
        let over = false;
        Some(Self { place, var, scalar, among, entry, free, held, low, high, guards, limits, over })
    }

    /// Returns whether it says more than the type.
    fn is_worth(&self) -> bool {
        let all = Range::of_type(self.scalar);
        says_low(&self.held, &all) || says_high(&self.held, &all)
    }

    /// Assumes less of the lower end; `positive` is what makes it positive before the loop.
    fn weaken_low(&mut self, assigned: &Range, positive: Option<Vec<Condition>>) {
        let stepped = self.entry.clone().hull(assigned);
        if self.low == Assumption::Entry && stepped.low.is_telling() {
            (self.held.low, self.held.low_needs) = (stepped.low, stepped.low_needs);
            self.low = Assumption::Stepped;
            return;
        }
        let all = Range::of_type(self.scalar);
        let is_among = self.among.low != self.entry.low && says_low(&self.among, &all);
        if is_among && matches!(self.low, Assumption::Entry | Assumption::Stepped) {
            (self.held.low, self.held.low_needs) = (self.among.low.clone(), self.among.low_needs.clone());
            self.low = Assumption::Among;
            return;
        }
        if let (true, Some(positive)) =
            (self.low != Assumption::Positive && self.scalar.is_signed(), positive)
        {
            (self.held.low, self.held.low_needs) = (Range::numbers(0, 0).low, positive);
            self.low = Assumption::Positive;
            return;
        }
        (self.held.low, self.held.low_needs) = (self.free.low.clone(), self.free.low_needs.clone());
        self.low = Assumption::Free;
    }

    fn weaken_high(&mut self, assigned: &Range) {
        let stepped = self.entry.clone().hull(assigned);
        if self.high == Assumption::Entry && stepped.high.is_telling() && stepped.high.is_short() {
            (self.held.high, self.held.needs) = (stepped.high, stepped.needs);
            self.high = Assumption::Stepped;
            return;
        }
        if let Some(most) = self.guarded(&stepped) {
            (self.held.high, self.held.needs) = (Quantity::Const(most), self.entry.needs.clone());
            self.high = Assumption::Guarded;
            return;
        }
        if matches!(self.high, Assumption::Guarded | Assumption::Stepped) && !self.over {
            self.over = true;
            let Range { high, needs, .. } = self.held.clone().hull(assigned);
            if high.as_const().is_some_and(|most| Some(most) < Range::of_type(self.scalar).high.as_const()) {
                (self.held.high, self.held.needs) = (high, needs);
                return;
            }
        }
        let is_among =
            self.among.high != self.entry.high && says_high(&self.among, &Range::of_type(self.scalar));
        if is_among && self.high != Assumption::Among && self.among.high.is_short() {
            (self.held.high, self.held.needs) = (self.among.high.clone(), self.among.needs.clone());
            self.high = Assumption::Among;
            return;
        }
        if !says_high(&self.free, &Range::of_type(self.scalar)) && self.limit_high(assigned) {
            return;
        }
        (self.held.high, self.held.needs) = (self.free.high.clone(), self.free.needs.clone());
        self.high = Assumption::Free;
    }

    /// Assumes that it stays below the next limit, or one step above the last one; returns whether there is one.
    fn limit_high(&mut self, assigned: &Range) -> bool {
        let most = match self.high == Assumption::Limited && !self.over {
            true => Some(self.held.clone().hull(assigned)).filter(|stepped| stepped.high.is_telling()),
            false => None,
        };
        self.over = most.is_some();
        let Some(most) = most.or_else(|| self.limits.pop()) else { return false };
        let Range { high, needs, .. } = most.hull(&self.entry);
        (self.held.high, self.held.needs, self.high) = (high, needs, Assumption::Limited);
        self.held.high.is_short()
    }

    /// The least guard that a claim may rest on which was not tried yet.
    fn guarded(&self, stepped: &Range) -> Option<i128> {
        let least = match (self.high, self.held.high.as_const()) {
            (Assumption::Entry | Assumption::Stepped, _) => stepped.high.as_const()?,
            (Assumption::Guarded, Some(tried)) => tried + 1,
            _ => return None,
        };
        self.guards.iter().copied().filter(|most| *most >= least).min()
    }

    /// Returns whether an end rests on an assumption.
    fn assumes(&self) -> bool {
        self.low != Assumption::Free || self.high != Assumption::Free
    }

    /// Takes back all assumptions.
    fn give_up(&mut self) {
        (self.held, self.low, self.high) = (self.free.clone(), Assumption::Free, Assumption::Free);
    }
}

fn says_low(range: &Range, all: &Range) -> bool {
    range.low.as_const().is_none_or(|n| Some(n) > all.low.as_const())
}

fn says_high(range: &Range, all: &Range) -> bool {
    range.high.as_const().is_none_or(|n| Some(n) < all.high.as_const())
}

impl Walk<'_> {
    /// The ranges of the variables that the body of a loop assigns, wherever they are asked for in the loop.
    ///
    /// `before` has their ranges before the loop; all that holds in each iteration is known already.
    pub(super) fn invariants(
        &mut self,
        cond: Option<&Expr>,
        body: &Block,
        before: Vec<Entry>,
    ) -> Vec<(Expr, Range)> {
        if before.is_empty() || self.is_spent() {
            return Vec::new();
        }
        let free = self.assigned_under(cond, body, &[]);
        let mut all: Vec<Assumed> = before
            .into_iter()
            .filter_map(|(place, entry)| {
                let assigned = free.get(&root(&place)?);
                // An enum that held nothing before the loop can only hold what the loop assigns.
                let entry = entry.or_else(|| assigned.cloned())?;
                let before = self.scope.symbols();
                Assumed::new(place, entry.without(&|id| self.scope.is_stale(id, before)), assigned)
            })
            .collect();
        for at in 0..all.len() {
            let same = all.iter().filter(|own| own.scalar == all[at].scalar);
            let among = same.map(|own| own.entry.clone()).reduce(|a, b| a.hull(&b));
            all[at].among = among.unwrap_or_else(|| all[at].entry.clone());
            let scalar = all[at].scalar;
            all[at].guards = guards_of(body, scalar, self.scope.functions, CALLS);
            cond.into_iter().for_each(|cond| all[at].guards.extend(constants(cond, scalar)));
            all[at].limits = self.compared(cond, body, scalar);
        }
        for _ in 0..ROUNDS {
            if !all.iter().any(Assumed::assumes) {
                break;
            }
            let assigned = self.assigned_under(cond, body, &facts(&all));
            let assumed = all.iter_mut().filter(|own| own.assumes());
            let kept: Vec<_> = assumed.map(|own| self.kept(own, assigned.get(&own.var))).collect();
            if let Some(needs) = kept.into_iter().collect::<Option<Vec<_>>>() {
                return resting(all, &joined(&[], &needs.concat()));
            }
        }
        for own in &mut all {
            own.give_up();
        }
        facts(&all)
    }

    /// The ranges of what the comparisons of a loop compare integers of a type with, where that stays the same and its greatest value is
    /// no constant.
    fn compared(&self, cond: Option<&Expr>, body: &Block, scalar: Scalar) -> Vec<Range> {
        let mut all: Vec<Range> = Vec::new();
        let mut add = |e: &Expr| {
            let ExprKind::Binary(op, a, b) = &e.kind else { return };
            if op.is_comparison() && integer(a) == Some(scalar) && all.len() < LIMITS {
                let stable = [a, b].into_iter().filter(|e| e.as_int().is_none() && self.scope.is_stable(e));
                let known = stable.map(|e| self.scope.range(e, &self.known).lasting());
                let telling = |range: &Range| {
                    says_high(range, &Range::of_type(scalar)) && range.high.as_const().is_none()
                };
                all.extend(known.filter(telling).filter(|range| range.high.is_short()));
            }
        };
        visit::exprs(body, &mut add);
        cond.into_iter().for_each(|cond| visit::expr(cond, &mut add));
        all
    }

    /// The conditions under which the assignments keep the claim about a variable; a claim that they do not keep is
    /// weakened.
    ///
    /// A launch is asked only for what keeps a variable from falling below zero: any other condition would most often
    /// fail, and take along what is known without it.
    fn kept(&self, own: &mut Assumed, assigned: Option<&Range>) -> Option<Vec<Condition>> {
        let Some(assigned) = assigned else { return Some(Vec::new()) };
        let mut needs = Some(Vec::new());
        if own.low != Assumption::Free {
            let above = self.scope.ensure(own.held.low.clone(), assigned.low.clone().plus(1));
            let above = above.filter(|above| above.is_empty() || own.low == Assumption::Positive);
            if above.is_none() {
                let positive = self.scope.ensure_least(&own.entry, 0).filter(|_| !own.free.low.is_telling());
                own.weaken_low(assigned, positive);
            }
            needs = needs
                .zip(above)
                .map(|(all, above): (Vec<_>, _)| [all, above, assigned.low_needs.clone()].concat());
        }
        if own.high != Assumption::Free {
            let below = self.not_above(&assigned.high, &own.held.high);
            if below.is_none() {
                own.weaken_high(assigned);
            }
            needs = needs.zip(below).map(|(all, below)| [all, below, assigned.needs.clone()].concat());
        }
        needs
    }

    /// The conditions under which one quantity is no more than another: none, or that a dividend is not negative.
    fn not_above(&self, of: &Quantity, most: &Quantity) -> Option<Vec<Condition>> {
        let past = most.clone().plus(1);
        match of {
            _ if of.is_below(&past) => Some(Vec::new()),
            Quantity::Quotient(whole, _) if whole.is_below(&past) => {
                self.scope.ensure_least(&Range::exactly((**whole).clone()), 0)
            }
            _ => None,
        }
    }
}

/// Whether a body compares an integer with a constant.
pub(super) fn is_guarded(place: &Expr, body: &Block) -> bool {
    let (scalar, mut found) = (integer(place), false);
    visit::exprs(body, &mut |e| {
        let is_guard = scalar.is_some_and(|scalar| guard(e, scalar).is_some());
        found |= is_guard && e.any_operand(|own| same(own, place));
    });
    found
}

/// The greatest numbers that pass comparisons of integers of a type with constants, also in the functions that a body calls.
fn guards_of(body: &Block, scalar: Scalar, functions: &[Function], depth: usize) -> Vec<i128> {
    let mut all = Vec::new();
    visit::exprs(body, &mut |e| match &e.kind {
        ExprKind::Binary(op, ..) if op.is_comparison() => all.extend(guard(e, scalar)),
        // What passes such an index is below the length, and a stack is full at it.
        ExprKind::Index { base, .. } => {
            if let Type::Array(_, n) = base.ty.peeled() {
                all.extend([*n as i128 - 1, *n as i128]);
            }
        }
        ExprKind::Call { function, .. } if depth > 0 => {
            let called = functions.get(function.0 as usize);
            all.extend(called.into_iter().flat_map(|of| guards_of(&of.body, scalar, functions, depth - 1)));
        }
        _ => {}
    });
    all
}

/// The greatest numbers that pass the comparisons of a condition with constants.
fn constants(cond: &Expr, scalar: Scalar) -> Vec<i128> {
    let mut all = Vec::new();
    visit::expr(cond, &mut |e| all.extend(guard(e, scalar)));
    all
}

/// The greatest number that passes, if something is a comparison of integers of a type with a constant.
fn guard(e: &Expr, scalar: Scalar) -> Option<i128> {
    let ExprKind::Binary(op, a, b) = &e.kind else { return None };
    let constant = a.as_int().xor(b.as_int()).filter(|_| integer(a) == Some(scalar))?;
    op.is_comparison().then(|| passing(*op, constant, a.as_int().is_some()))
}

/// The greatest number that passes a comparison with a constant.
fn passing(op: BinaryOp, n: i128, is_left: bool) -> i128 {
    let keeps = match op {
        BinaryOp::Le | BinaryOp::Gt => !is_left,
        BinaryOp::Lt | BinaryOp::Ge => is_left,
        _ => false,
    };
    if keeps { n } else { n - 1 }
}

/// The claims, which rest on the conditions under which all assignments keep them.
fn resting(all: Vec<Assumed>, needs: &[Condition]) -> Vec<(Expr, Range)> {
    let worth = all.into_iter().filter(Assumed::is_worth);
    worth
        .map(|own| {
            let held = if own.assumes() { own.held.needing(needs) } else { own.held };
            (own.place, held)
        })
        .collect()
}

fn facts(all: &[Assumed]) -> Vec<(Expr, Range)> {
    all.iter().filter(|own| own.is_worth()).map(|own| (own.place.clone(), own.held.clone())).collect()
}
