//! Narrowing: index arithmetic of 64 bits, and unsigned arithmetic, becomes that of `int` where it cannot overflow.
//!
//! Compilers fold a sum of `int`s into an address, and unroll a loop that counts with an `int`, because neither wraps. A
//! kernel whose checks are marked comes in. The same kernel goes out with narrower variables, counters and indices; no
//! value and no access differs. The narrowing rests on conditions of the launch: [`wanted`] lists them, and [`narrow`] uses
//! those that a launch fulfils.

mod arrays;
mod fit;
mod place;
mod rewrite;

use std::collections::{HashMap, HashSet};

use super::elements::learn_elements;
use super::elide::Walk;
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, Function, Module, Proof, Quantity, RangeLoop, Scalar, Type,
    VarId,
};
use crate::ranges::{FunctionScope, Kind, integer};

/// The greatest number of parts of an expression that is analysed.
const MOST_PARTS: usize = 64;

/// Conditions of a launch at most.
const MOST_CONDITIONS: usize = 64;

/// The conditions of a launch under which everything that can be narrowed is.
pub(super) fn wanted(module: &Module) -> Vec<Condition> {
    if module.is_relaunched() {
        return Vec::new();
    }
    found(module, &mut module.kernel.body.clone(), Vec::new(), None).conditions
}

/// Narrows what these of the module's conditions prove, a bit each.
pub(super) fn narrow(module: &mut Module, fulfilled: u64) {
    if module.is_relaunched() {
        return;
    }
    let mut body = std::mem::take(&mut module.kernel.body);
    let narrowing = found(module, &mut body, module.fits.clone(), Some(fulfilled));
    narrowing.rewrite(&mut body);
    for var in &narrowing.narrowed {
        module.kernel.vars[var.0 as usize].ty = Type::Scalar(Scalar::I32);
    }
    arrays::rewrite(&narrowing.arrays, &mut body);
    for (var, ty) in &narrowing.arrays {
        module.kernel.vars[var.0 as usize].ty = ty.clone();
    }
    let numbers = module.coarsened.iter_mut().flat_map(|coarsened| &mut coarsened.loops);
    numbers.for_each(|(_, number)| narrowing.rewrite_number(number));
    module.kernel.body = body;
    module.short = narrowing.short;
}

/// Narrows all of a coarsened kernel that some launch proves, and lists what launches must fulfil.
pub(super) fn narrow_coarsened(module: &mut Module) {
    module.fits = wanted(module);
    narrow(module, u64::MAX);
    let fits = std::mem::take(&mut module.fits);
    module.coarsened.iter_mut().for_each(|coarsened| coarsened.needs.fits.clone_from(&fits));
}

/// Looks at a kernel twice: for the variables that fit, then for the expressions that they stand in.
fn found(module: &Module, body: &mut Block, conditions: Vec<Condition>, fulfilled: Option<u64>) -> Narrowing {
    let kind = Kind { is_kernel: true, lifts: true, most_threads: module.attributes.max_threads };
    let mut narrowing = Narrowing { conditions, fulfilled, ..Narrowing::default() };
    narrowing.candidates = place::candidates(&module.kernel, body);
    for stage in [Stage::Variables, Stage::Expressions] {
        narrowing.stage = stage;
        let scope = FunctionScope::new(&module.functions, &module.kernel, body, kind);
        let mut walk = Walk::new(learn_elements(scope, body));
        walk.narrowing = Some(narrowing);
        walk.block(body);
        narrowing = walk.narrowing.take().unwrap_or_default();
        match stage {
            Stage::Variables => narrowing.decide(),
            Stage::Expressions => narrowing.narrow_arrays(&module.kernel, body, &walk.scope),
        }
    }
    narrowing
}

/// The purpose of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Variables,
    Expressions,
}

/// The findings about a kernel.
#[derive(Default)]
pub(super) struct Narrowing {
    stage: Stage,
    /// The conditions that a launch may be asked for.
    conditions: Vec<Condition>,
    /// The conditions that hold. `None`: all hold, and more may be asked for.
    fulfilled: Option<u64>,
    /// Variables that may be narrowed.
    candidates: HashSet<VarId>,
    /// The conditions under which the values of each variable fit; `None` if one does not.
    values: HashMap<VarId, Option<Vec<Condition>>>,
    narrowed: HashSet<VarId>,
    /// Arrays whose elements are narrowed, with their new types.
    arrays: HashMap<VarId, Type>,
    /// The replacements of expressions, by their addresses, which stay valid during the walk.
    exprs: HashMap<usize, Expr>,
    /// The new values of assignments, by the address of the old value.
    given: HashMap<usize, Expr>,
    /// Slice parameters with lengths that fit and with a checked index.
    short: u64,
    /// The loops whose counters leave no type.
    loops: HashMap<VarId, Counted>,
}

/// A loop with a counter that fits.
struct Counted {
    start: Expr,
    end: Expr,
    /// Whether the counter does so up to the first number past the end.
    exact: bool,
}

/// Returns whether an expression is small enough to be analysed from each of its parts.
fn is_small(e: &Expr) -> bool {
    fn count(e: &Expr, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        *left > 0 && e.all_operands(|e| count(e, left))
    }
    count(e, &mut MOST_PARTS.clone())
}

/// Whether an operation takes fewer instructions without a sign.
fn is_quotient(op: BinaryOp, by: &Expr) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::Rem) && by.as_int() != Some(1)
}

/// The address of an expression, as long as nothing moves.
fn place_of(e: &Expr) -> usize {
    std::ptr::from_ref(e).addr()
}

impl Narrowing {
    /// Returns whether all of some conditions may be relied on; asks for them if that is what the walk is for.
    fn accept(&mut self, needs: &[Condition]) -> bool {
        let mut more = Vec::new();
        for need in needs {
            match (self.conditions.iter().position(|known| known == need), self.fulfilled) {
                (Some(_), None) => {}
                (Some(at), Some(bits)) if bits >> at & 1 == 1 => {}
                (None, None) => more.push(need.clone()),
                _ => return false,
            }
        }
        let fits = self.conditions.len() + more.len() <= MOST_CONDITIONS;
        if fits {
            self.conditions.extend(more);
        }
        fits
    }

    /// Returns whether some conditions may be asked for, or hold.
    fn may_rely_on(&self, needs: &[Condition]) -> bool {
        let Some(bits) = self.fulfilled else { return true };
        let holds = |need: &Condition| {
            self.conditions.iter().position(|known| known == need).is_some_and(|at| bits >> at & 1 == 1)
        };
        needs.iter().all(holds)
    }

    /// Narrows the arrays all of whose elements fit.
    fn narrow_arrays(&mut self, kernel: &Function, body: &Block, scope: &FunctionScope) {
        for (var, ty, range) in arrays::candidates(&scope.stored, kernel, body) {
            let fits = scope.ensure(range.high.clone(), Quantity::Const(arrays::LIMIT));
            if fits.is_some_and(|fits| self.accept(&[range.needs.clone(), fits].concat())) {
                self.arrays.insert(var, ty);
            }
        }
    }

    /// Narrows the variables all of whose values fit.
    fn decide(&mut self) {
        let mut all: Vec<(VarId, Option<Vec<Condition>>)> = self.values.drain().collect();
        all.sort_by_key(|(var, _)| *var);
        for (var, needs) in all {
            if needs.is_some_and(|needs| self.accept(&needs)) {
                self.narrowed.insert(var);
            }
        }
    }
}

impl Walk<'_> {
    /// Whether the forms of expressions are looked for.
    ///
    /// Arithmetic of one value keeps one form before and after an index then: compilers see so that the values are the same.
    pub(super) fn forms_expressions(&self) -> bool {
        self.narrowing.as_ref().is_some_and(|narrowing| narrowing.stage == Stage::Expressions)
    }

    /// Looks at what a variable is given, where that is known.
    pub(super) fn narrow_value(&mut self, var: VarId, value: &Expr, op: Option<(BinaryOp, &Expr)>) {
        if self.assigned.is_some() {
            return;
        }
        let Some(mut narrowing) = self.narrowing.take() else { return };
        let whole = op.map(|(op, place)| Expr::binary(op, place.clone(), value.clone()));
        match narrowing.stage {
            Stage::Variables if narrowing.candidates.contains(&var) => {
                let needs = self.fits(whole.as_ref().unwrap_or(value)).filter(|_| is_small(value));
                narrowing.value_of(var, needs);
            }
            Stage::Expressions if narrowing.narrowed.contains(&var) => {
                // Its value is known to fit, so no other `int` is congruent to it.
                let new = match (op, &value.kind) {
                    (Some((op, place)), _) => self.narrow_binary((op, place, value), place, &narrowing, true),
                    (None, ExprKind::Binary(op, a, b)) => {
                        self.narrow_binary((*op, a, b), value, &narrowing, true)
                    }
                    (None, _) => None,
                };
                let new = new.or_else(|| self.narrow(value, &narrowing).filter(|_| op.is_none()));
                let new = new.filter(|new| narrowing.accept(&new.needs));
                let plain = || narrowing.as_int(narrowing.rewritten_with(op, value));
                let new = new.map_or_else(plain, |new| new.e);
                narrowing.given.insert(place_of(value), new);
            }
            Stage::Expressions => {
                // `i += step` of an `int` that does not overflow.
                let is_int = |(_, place): &(BinaryOp, &Expr)| place.ty == Type::Scalar(Scalar::I32);
                if let Some((op, place)) = op.filter(|op| is_int(op) && is_small(value))
                    && let Some(new) = self.narrow_binary((op, place, value), place, &narrowing, false)
                    && matches!(new.e.kind, ExprKind::Exact(_))
                    && narrowing.accept(&new.needs)
                {
                    narrowing.given.insert(place_of(value), new.e);
                }
            }
            Stage::Variables => {}
        }
        self.narrowing = Some(narrowing);
    }

    /// Looks at a loop over a range, before it.
    pub(super) fn narrow_loop(&mut self, range: &RangeLoop) {
        if self.assigned.is_some() {
            return;
        }
        let Some(mut narrowing) = self.narrowing.take() else { return };
        match narrowing.stage {
            Stage::Variables if narrowing.candidates.contains(&range.var) => {
                let needs = self.fits(&range.start).zip(self.fits(&range.end));
                let needs = needs.filter(|_| is_small(&range.start) && is_small(&range.end));
                narrowing.value_of(range.var, needs.map(|(start, end)| [start, end].concat()));
            }
            Stage::Expressions => self.narrow_counter(range, &mut narrowing),
            Stage::Variables => {}
        }
        self.narrowing = Some(narrowing);
    }

    fn narrow_counter(&mut self, range: &RangeLoop, narrowing: &mut Narrowing) {
        let is_int = range.start.ty == Type::Scalar(Scalar::I32) && !self.scope.is_mutable(range.var);
        let is_int = is_int && is_small(&range.start) && is_small(&range.end);
        let is_narrowed = narrowing.narrowed.contains(&range.var);
        if !is_int && !is_narrowed {
            return;
        }
        let exact = self.counts_exactly(range).is_some_and(|needs| narrowing.accept(&needs));
        let [start, end] = [&range.start, &range.end].map(|part| {
            let new = self.narrow(part, narrowing).filter(|new| is_int || new.is_positive);
            let new = new.filter(|new| narrowing.accept(&new.needs));
            new.map_or_else(|| narrowing.as_int(narrowing.rewritten(part)), |new| new.e)
        });
        narrowing.loops.insert(range.var, Counted { start, end, exact });
    }

    /// Narrows an expression after its operands.
    pub(super) fn narrow_here(&mut self, e: &Expr) {
        let Some(mut narrowing) = self.narrowing.take() else { return };
        if narrowing.stage == Stage::Expressions && is_small(e) {
            self.narrow_parts(e, &mut narrowing);
        }
        self.narrowing = Some(narrowing);
    }

    fn narrow_parts(&mut self, e: &Expr, narrowing: &mut Narrowing) {
        match &e.kind {
            ExprKind::Index { base, index, proof, .. } => {
                if *proof != Proof::Text {
                    self.compare_shortly(base, index, narrowing);
                }
                let parts = match &index.kind {
                    ExprKind::Tuple(parts) => parts.iter().collect(),
                    _ => vec![&**index],
                };
                parts.into_iter().for_each(|part| self.narrow_index(part, narrowing));
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() && narrowing.is_narrowed(e) => {
                let is_signed = integer(a).is_some_and(Scalar::is_signed);
                if let (Some(a), Some(b)) = (self.narrow(a, narrowing), self.narrow(b, narrowing))
                    && (is_signed || a.is_positive && b.is_positive)
                    && narrowing.accept(&[a.needs.clone(), b.needs.clone()].concat())
                {
                    let kind = ExprKind::Binary(*op, a.e.into(), b.e.into());
                    narrowing.exprs.insert(place_of(e), Expr { kind, ty: e.ty.clone() });
                }
            }
            ExprKind::Binary(op, a, b) if e.ty == Type::Scalar(Scalar::I32) => {
                if let Some(new) = self.narrow_binary((*op, a, b), e, narrowing, false)
                    && (matches!(new.e.kind, ExprKind::Exact(_)) || is_quotient(*op, b))
                    && narrowing.accept(&new.needs)
                {
                    narrowing.exprs.insert(place_of(e), new.e);
                }
            }
            // Compilers see by themselves where the text alone keeps numbers small.
            ExprKind::Binary(op, a, b) if e.ty == Type::U64 && is_quotient(*op, b) => {
                if let Some(new) = self.divided(*op, (a, b), e, narrowing)
                    && !new.needs.is_empty()
                    && narrowing.accept(&new.needs)
                {
                    let kind = ExprKind::Cast(fit::unsigned(new.e).into());
                    narrowing.exprs.insert(place_of(e), Expr { kind, ty: e.ty.clone() });
                }
            }
            ExprKind::Cast(inner) if integer(inner).is_some() && narrowing.is_narrowed(inner) => {
                if let Some(new) = self.narrow(inner, narrowing)
                    && new.is_positive
                    && narrowing.accept(&new.needs)
                {
                    let kind = ExprKind::Cast(new.e.clone().into());
                    let is_int = e.ty == Type::Scalar(Scalar::I32);
                    let new = if is_int { new.e } else { Expr { kind, ty: e.ty.clone() } };
                    narrowing.exprs.insert(place_of(e), new);
                }
            }
            _ => {}
        }
    }

    /// Asks that the length of an indexed slice fits.
    fn compare_shortly(&mut self, base: &Expr, index: &Expr, narrowing: &mut Narrowing) {
        let ExprKind::Var(slice) = base.kind else { return };
        let is_number = integer(index).is_some();
        let position = self.scope.params.iter().position(|param| *param == slice);
        if let Some(position) = position.filter(|position| *position < 64 && is_number) {
            let below = Quantity::Len(position, self.scope.name(slice).into());
            let fits = Condition { below, limit: Quantity::Const(fit::LIMIT) };
            if narrowing.accept(&[fits]) {
                narrowing.short |= 1 << position;
            }
        }
    }

    /// An index may be negative where it was 64 bits wide: it wraps there as an address does.
    fn narrow_index(&mut self, index: &Expr, narrowing: &mut Narrowing) {
        let Some(scalar) = integer(index).filter(|scalar| *scalar != Scalar::I32) else { return };
        let is_worth = narrowing.is_narrowed(index) || matches!(index.kind, ExprKind::Binary(..));
        if is_worth
            && let Some(new) = self.narrow(index, narrowing)
            && (scalar.bits() == 64 || new.is_positive)
            && narrowing.accept(&new.needs)
        {
            narrowing.exprs.insert(place_of(index), new.e);
        }
    }
}

impl Narrowing {
    /// Notes what a value of a variable rests on to fit.
    fn value_of(&mut self, var: VarId, needs: Option<Vec<Condition>>) {
        let known = self.values.entry(var).or_insert_with(|| Some(Vec::new()));
        *known = known.take().zip(needs).map(|(known, needs)| [known, needs].concat());
    }

    /// Returns whether a narrowed variable stands in an expression.
    fn is_narrowed(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Var(var) if self.narrowed.contains(var))
            || e.any_operand(|e| self.is_narrowed(e))
    }
}
