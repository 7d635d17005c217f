//! Sums of multiples, and what is left of them when loops and guards stand in for their terms.
//!
//! Where `j` runs from `i - r` to `i + r`, the ranges of `j` and of `i` say little of `j + r - i`. With an end of the loop in the place
//! of `j`, `i` cancels, and what is left is known to a launch.
//!
//! Arithmetic of n bits is exact modulo 2^n: an exact sum that fits its type is the value, whatever its parts do on the way.

use std::collections::HashMap;

use super::addends::addends;
use super::known::{Known, same, strip};
use super::place::Length;
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, ResultRange, Scalar, UnaryOp};

/// The number of expressions that a search for the order of two sums looks at.
const FUEL: usize = 100;
/// Replacements that one search tries.
const MOST_TRIALS: usize = 64;
/// Replacements in a row that leave as many terms that a launch does not know.
const MOST_DETOURS: usize = 1;
/// The greatest multiple of a term: numbers of 64 bits, multiplied twice, stay exact.
const MOST_TIMES: i128 = 1 << 24;

/// The end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Low,
    High,
}

impl End {
    fn other(self) -> Self {
        if self == End::Low { End::High } else { End::Low }
    }

    /// The end of a term that bounds this end of its multiple.
    fn of_multiple(self, times: i128) -> Self {
        if times < 0 { self.other() } else { self }
    }
}

/// Multiples of values, a number, and what it rests on that they say what they stand for.
#[derive(Clone, Debug, Default)]
struct Sum<'e> {
    terms: Vec<(&'e Expr, i128)>,
    number: i128,
    needs: Vec<Condition>,
}

impl<'e> Sum<'e> {
    fn add(&mut self, e: &'e Expr, times: i128) {
        match self.terms.iter().position(|(own, _)| same(strip(own), strip(e))) {
            Some(at) => {
                self.terms[at].1 += times;
                self.terms.retain(|(_, times)| *times != 0);
            }
            None => self.terms.push((e, times)),
        }
    }

    /// This and a multiple of another.
    fn with(mut self, other: &Sum<'e>, times: i128) -> Self {
        other.terms.iter().for_each(|(e, own)| self.add(e, own * times));
        Self { number: self.number + other.number * times, needs: joined(&self.needs, &other.needs), ..self }
    }

    fn plus(self, number: i128) -> Self {
        Self { number: self.number + number, ..self }
    }

    /// This with something in the place of a term, unless multiples become too great.
    fn replaced(&self, at: usize, by: &Sum<'e>) -> Option<Self> {
        let mut rest = self.clone();
        let (_, times) = rest.terms.remove(at);
        let is_small = |(_, own): &(&Expr, i128)| (own * times).abs() <= MOST_TIMES;
        by.terms.iter().all(is_small).then(|| rest.with(by, times))
    }

    fn is_plain(&self) -> bool {
        matches!(self.terms[..], [(_, 1)] | []) && self.number == 0
    }
}

impl FunctionScope<'_> {
    /// The range of arithmetic of which terms cancel that a launch does not know.
    pub(super) fn cancelled(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: usize) -> Option<Range> {
        if self.searches.replace(true) {
            return None;
        }
        let found = self.searched(e, scalar, known, fuel);
        self.searches.set(false);
        found
    }

    /// The same of a sum, if one of its addends is known to be below a difference: what is left of a number less the other addends.
    pub(super) fn cancelled_sum(
        &self,
        e: &Expr,
        scalar: Scalar,
        known: &Known,
        fuel: usize,
    ) -> Option<Range> {
        // The range of a number in the middle of two others is known by itself.
        let is_middle = || match &e.kind {
            ExprKind::Binary(_, a, b) => self.between(a, b, known, &mut fuel.clone()).is_some(),
            _ => false,
        };
        let is_told = addends(e).into_iter().any(|own| {
            self.is_share(own) && !is_middle()
                || known.above_or_at(own).any(|(bound, _)| self.is_difference(bound))
        });
        if is_told { self.cancelled(e, scalar, known, fuel) } else { None }
    }

    /// Whether an expression is a difference, or no more than one.
    fn is_difference(&self, e: &Expr) -> bool {
        match &self.look(e).kind {
            ExprKind::Binary(BinaryOp::Sub, ..) => true,
            ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::Least => {
                args.iter().any(|own| self.is_difference(own))
            }
            _ => self.is_rest(e),
        }
    }

    /// Whether an expression is what a number that is no constant leaves of another one, or no more than that.
    fn is_rest(&self, e: &Expr) -> bool {
        match &self.look(e).kind {
            ExprKind::Binary(BinaryOp::Sub, _, less) => less.as_int().is_none(),
            ExprKind::Builtin { op, .. } if op.facts.result == ResultRange::Remaining => true,
            _ => self.is_share(e),
        }
    }

    /// Whether an expression is a part of such a rest: a quotient of it, or the lesser of it and another number.
    fn is_share(&self, e: &Expr) -> bool {
        let e = self.look(e);
        match &e.kind {
            ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::Least => {
                args.iter().any(|own| self.is_rest(own))
            }
            _ => share(e).is_some_and(|whole| self.is_rest(whole)),
        }
    }

    /// The conditions under which a sum is no more than another one, if the two have terms in common.
    pub(crate) fn sums_in_order(&self, less: &Expr, more: &Expr, known: &Known) -> Option<Vec<Condition>> {
        let scalar = integer(less).filter(|scalar| integer(more) == Some(*scalar))?;
        let [less, more] = [less, more].map(|e| self.sum_of(e));
        let apart = more.clone().with(&less, -1);
        if apart.terms.len() == less.terms.len() + more.terms.len() || self.searches.replace(true) {
            return None;
        }
        let mut search = Search::new(self, known, FUEL);
        let exact = [less, more].map(|sum| Some(self.exact(search.range(&sum), scalar)?.all_needs()));
        let least = search.reduced(&apart, End::Low, MOST_DETOURS);
        let apart = search.range(&least);
        self.searches.set(false);
        let [less, more] = exact;
        let needs = [more?, self.ensure_least(&apart, 0)?, least.needs];
        Some(needs.into_iter().fold(less?, |all, more| joined(&all, &more)))
    }

    /// The distance from one sum to another, if the host knows all terms that do not cancel. Both sums may have wrapped; their distance
    /// has not.
    pub(super) fn exact_distance(&self, start: &Expr, end: &Expr) -> Option<Length> {
        if let Some(distance) = self.distance(start, end) {
            return self.exact_extent(distance);
        }
        let (modulus, ends) = (self.modulus(start), [start, end].map(|e| self.look(e)));
        if modulus != self.modulus(end) || !ends.iter().all(|e| self.is_stable(e)) {
            return None;
        }
        let (less, more) = (self.sum_of(ends[0]), self.sum_of(ends[1]));
        let mut terms = more.terms;
        for (e, times) in less.terms {
            match terms.iter().position(|(own, _)| self.alike(own, e)) {
                Some(at) => terms[at].1 -= times,
                None => terms.push((e, -times)),
            }
        }
        let number = more.number - less.number;
        let (mut fewer, mut count) = (Quantity::Const((-number).max(0)), Quantity::Const(number.max(0)));
        let mut needs = Vec::new();
        for (e, times) in terms.into_iter().filter(|(_, times)| *times != 0) {
            let own = self.exact_extent(e)?;
            let part = own.count.product(Quantity::Const(times.abs()));
            needs = joined(&needs, &own.needs);
            match times > 0 {
                true => count = count.sum(part),
                false => fewer = fewer.sum(part),
            }
        }
        let (_, most) = modulus?.int_range()?;
        let fits = self.ensure(count.clone(), Quantity::Const(most + 1))?;
        Some(Length { count: count.sum(fewer.negated()), needs: joined(&needs, &fits) })
    }

    /// An expression as a sum.
    fn sum_of<'e>(&'e self, e: &'e Expr) -> Sum<'e> {
        let mut sum = Sum::default();
        self.gather(e, 1, &mut sum);
        sum
    }

    fn searched(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: usize) -> Option<Range> {
        let sum = self.sum_of(e);
        let mut search = Search::new(self, known, fuel);
        let before = search.unknowns(&sum);
        let [low, high] = [End::Low, End::High].map(|end| search.reduced(&sum, end, MOST_DETOURS));
        if [&low, &high].iter().all(|sum| search.unknowns(sum) == before) {
            return None;
        }
        let (below, above) = (search.range(&low), search.range(&high));
        let low_needs = joined(&below.low_needs, &low.needs);
        let needs = joined(&above.needs, &high.needs);
        self.exact(Range { low: below.low, high: above.high, needs, low_needs }, scalar)
    }

    /// Adds a multiple of an expression to a sum, modulo the values of its type.
    fn gather<'e>(&'e self, e: &'e Expr, times: i128, sum: &mut Sum<'e>) {
        if let Some(n) = e.as_int() {
            sum.number += n * times;
            return;
        }
        let fits = |n: i128| n.abs() <= MOST_TIMES && (n * times).abs() <= MOST_TIMES;
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.gather(a, times, sum);
                self.gather(b, times, sum);
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                self.gather(a, times, sum);
                self.gather(b, -times, sum);
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (a.as_int(), b.as_int()) {
                (Some(n), None) if fits(n) => self.gather(b, n * times, sum),
                (None, Some(n)) if fits(n) => self.gather(a, n * times, sum),
                _ => sum.add(e, times),
            },
            ExprKind::Unary(UnaryOp::Neg, a) => self.gather(a, -times, sum),
            ExprKind::Exact(inner) => self.gather(inner, times, sum),
            // Guards name the variable, so it stands for all that has no terms.
            ExprKind::Var(var) => {
                match self.definitions.get(var).filter(|definition| has_terms(definition)) {
                    Some(definition) if definition.ty == e.ty => self.gather(definition, times, sum),
                    _ => sum.add(e, times),
                }
            }
            _ => sum.add(e, times),
        }
    }
}

fn has_terms(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) | ExprKind::Unary(UnaryOp::Neg, _) => true,
        ExprKind::Binary(BinaryOp::Mul, a, b) => a.as_int().is_some() != b.as_int().is_some(),
        ExprKind::Exact(inner) => has_terms(inner),
        _ => false,
    }
}

impl Range {
    /// The same with what the parts of an expression tell by themselves, as far as it asks nothing of a launch, and tells a number or more
    /// than this.
    pub(super) fn with_parts(self, parts: Option<Range>) -> Self {
        let Some(parts) = parts else { return self };
        let tells = |own: &Quantity, other: &Quantity, needs: &[Condition]| {
            needs.is_empty() && (other.as_const().is_some() || !own.is_known())
        };
        let (low, high) =
            (tells(&self.low, &parts.low, &parts.low_needs), tells(&self.high, &parts.high, &parts.needs));
        let met = self.clone().meet(&parts);
        let (low, low_needs) = if low { (met.low, met.low_needs) } else { (self.low, self.low_needs) };
        let (high, needs) = if high { (met.high, met.needs) } else { (self.high, self.needs) };
        Range { low, high, needs, low_needs }
    }
}

/// A search for the terms that cancel.
struct Search<'e> {
    scope: &'e FunctionScope<'e>,
    known: &'e Known,
    fuel: usize,
    trials: usize,
    /// The ranges of terms that were asked for: each stands in many sums.
    found: HashMap<*const Expr, Range>,
}

impl<'e> Search<'e> {
    fn new(scope: &'e FunctionScope<'e>, known: &'e Known, fuel: usize) -> Self {
        Search { scope, known, fuel, trials: MOST_TRIALS, found: HashMap::new() }
    }

    /// The range of a term.
    fn of_term(&mut self, e: &'e Expr) -> &Range {
        let Search { scope, known, fuel, found, .. } = self;
        found.entry(std::ptr::from_ref(e)).or_insert_with(|| scope.within(e, known, fuel))
    }

    /// The range of an exact sum, by those of its terms.
    fn range(&mut self, sum: &Sum<'e>) -> Range {
        let start = Range::numbers(sum.number, sum.number);
        sum.terms.iter().fold(start, |all, (e, times)| {
            let Range { low, high, needs, low_needs } = self.of_term(e).clone();
            let of = match *times < 0 {
                true => {
                    Range { low: high.negated(), high: low.negated(), needs: low_needs, low_needs: needs }
                }
                false => Range { low, high, needs, low_needs },
            };
            all.plus(&of.on_line(times.abs(), 0))
        })
    }

    /// The terms that a launch does not know.
    fn unknowns(&mut self, sum: &Sum<'e>) -> usize {
        sum.terms.iter().filter(|(e, _)| self.of_term(e).value().is_none()).count()
    }

    /// A sum that is no less, or no more, with fewer terms that a launch does not know; the sum itself if none is found.
    fn reduced(&mut self, sum: &Sum<'e>, end: End, detours: usize) -> Sum<'e> {
        let (before, mut others) = (self.unknowns(sum), Vec::new());
        for (at, (term, times)) in sum.terms.iter().enumerate() {
            for by in self.ends(term, end.of_multiple(*times)) {
                if self.trials > 0 && self.fuel > 0 {
                    self.trials -= 1;
                    others.extend(sum.replaced(at, &by));
                }
            }
        }
        // What cancels most comes first, and detours last: those may end at a bound that says less.
        others.sort_by_key(|other| other.terms.len());
        for other in &others {
            if self.unknowns(other) < before {
                return self.reduced(other, end, detours);
            }
        }
        for other in others.into_iter().filter(|_| detours > 0) {
            let other = self.reduced(&other, end, detours - 1);
            if self.unknowns(&other) < before {
                return other;
            }
        }
        sum.clone()
    }

    /// What a term is known to be at most, or at least.
    fn ends(&mut self, term: &'e Expr, end: End) -> Vec<Sum<'e>> {
        let (known, below) = (self.known, if end == End::High { -1 } else { 1 });
        let told: Vec<(&Expr, bool)> = match end {
            End::High => known.above_or_at(term).collect(),
            End::Low => known.below_or_at(term).collect(),
        };
        let mut all = Vec::new();
        for (bound, strictly) in told {
            let gap = if strictly { below } else { 0 };
            all.extend(self.bounds(bound, (end, strictly)).into_iter().map(|sum| sum.plus(gap)));
        }
        all.extend(self.parts(term, (end, false)));
        // The range of the term knows the numbers that bound it, and the tightest of them.
        all.retain(|sum| !sum.terms.is_empty());
        all
    }

    /// Sums that bound an expression from above or from below. With `strictly`, they bound only what is less or more than it.
    fn bounds(&mut self, e: &'e Expr, (end, strictly): (End, bool)) -> Vec<Sum<'e>> {
        let (mut parts, sum) = (self.parts(e, (end, strictly)), self.scope.sum_of(e));
        if !parts.is_empty() {
            // A quotient itself may say more than its dividend.
            if sum.is_plain() && share(self.scope.look(e)).is_some() {
                parts.insert(0, sum);
            }
            return parts;
        }
        if sum.is_plain() {
            return vec![sum];
        }
        // What wraps around an end of its type is on the other side of its exact value.
        let Some((least, most)) = integer(e).and_then(Scalar::int_range) else { return Vec::new() };
        let fits = match end {
            End::High => self.is_at_least(&sum, least),
            End::Low => {
                let range = self.range(&sum);
                let fits = self.scope.ensure(range.high, Quantity::Const(most + 1));
                fits.map(|fits| joined(&fits, &range.needs))
            }
        };
        fits.map(|needs| Sum { needs: joined(&sum.needs, &needs), ..sum }).into_iter().collect()
    }

    /// The conditions under which an exact sum is at least a number. If it holds the lesser of two values, either of them must do.
    fn is_at_least(&mut self, sum: &Sum<'e>, least: i128) -> Option<Vec<Condition>> {
        let lesser = sum.terms.iter().enumerate().find_map(|(at, (term, times))| {
            let args = self.scope.chosen(term, ResultRange::Least)?;
            (*times > 0).then_some((at, args))
        });
        let Some((at, args)) = lesser.filter(|_| self.trials > 0) else {
            if let [(a, 1), (b, -1)] | [(b, -1), (a, 1)] = sum.terms[..]
                && sum.number >= least
                && self.known.is_ordered(b, a)
            {
                return Some(sum.needs.clone());
            }
            let range = self.range(sum);
            return self.scope.ensure_least(&range, least);
        };
        self.trials -= 1;
        let mut all = sum.needs.clone();
        for arg in args {
            let with = self.bounds(arg, (End::Low, false)).into_iter().next()?;
            let needs = self.is_at_least(&sum.replaced(at, &with)?, least)?;
            all = joined(&joined(&all, &with.needs), &needs);
        }
        Some(all)
    }

    /// Sums that bound the lesser or the greater of two values, or what is left of one, from above or from below.
    ///
    /// With `strictly`, `a.saturating_sub(b)` is bounded by `a - b` from above: no unsigned number is less than zero.
    fn parts(&mut self, e: &'e Expr, (end, strictly): (End, bool)) -> Vec<Sum<'e>> {
        let scope = self.scope;
        let e = scope.look(e);
        if end == End::High
            && let Some(whole) = share(e)
        {
            return self.bounds(whole, (end, false));
        }
        let difference = match &e.kind {
            ExprKind::Builtin { op, args, .. } => match (op.facts.result, &args[..], end) {
                (ResultRange::Least, [a, b], End::High) | (ResultRange::Greatest, [a, b], End::Low) => {
                    return [a, b].map(|own| self.bounds(own, (end, strictly))).concat();
                }
                (ResultRange::Remaining, [a, b], _) if integer(a).is_some_and(Scalar::is_unsigned) => {
                    Some((a, b))
                }
                _ => None,
            },
            ExprKind::Select(cond, a, b) => remaining(cond, a, b),
            _ => None,
        };
        let Some((a, b)) = difference else { return Vec::new() };
        let (from, less) = (self.bounds(a, (end, false)), self.bounds(b, (end.other(), false)));
        let pairs = from.iter().flat_map(|from| less.iter().map(|less| from.clone().with(less, -1)));
        let mut all = if end == End::Low || strictly { pairs.collect() } else { Vec::new() };
        if end == End::High {
            // Of an unsigned number, no more is left than it is.
            all.extend(from);
        }
        all
    }
}

/// The number without a sign of which an expression is a quotient: it is no more than that, rounded up too.
fn share(e: &Expr) -> Option<&Expr> {
    let whole = match &e.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Shr, whole, _) => whole,
        ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::QuotientUp => args.first()?,
        _ => return None,
    };
    integer(whole).is_some_and(Scalar::is_unsigned).then_some(whole)
}

/// `a` and `b` of `if a > b { a - b } else { 0 }`, of unsigned numbers.
fn remaining<'e>(cond: &Expr, then: &'e Expr, otherwise: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
    let ExprKind::Binary(op, x, y) = &cond.kind else { return None };
    let (greater, lesser, is_then) = match op {
        BinaryOp::Gt | BinaryOp::Ge => (x, y, true),
        BinaryOp::Lt | BinaryOp::Le => (y, x, true),
        _ => return None,
    };
    // The same with its branches exchanged.
    let (rest, none, greater, lesser) = match then.as_int() {
        Some(_) => (otherwise, then, lesser, greater),
        None => (then, otherwise, greater, lesser),
    };
    let ExprKind::Binary(BinaryOp::Sub, a, b) = &strip(rest).kind else { return None };
    let is_it = is_then && same(strip(a), strip(greater)) && same(strip(b), strip(lesser));
    let is_unsigned = integer(rest).is_some_and(Scalar::is_unsigned);
    (is_it && is_unsigned && none.as_int() == Some(0)).then_some((&**a, &**b))
}
