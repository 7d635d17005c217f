//! The range of each expression, by its operands and by the facts from guards.
//!
//! A function is analysed for itself or for one call of it, through whose arguments it sees.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::bits;
use super::changes::{changed_of, declared, untracked};
use super::contents::Held;
use super::known::{Known, same, strip};
use super::memo::Memo;
use super::place::Length;
use super::range::{Range, integer, joined};
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, Function, Parameter, Quantity, Scalar, Type, UnaryOp, VarId,
    VarKind, Variable,
};

/// Expressions that a single proof looks at: definitions are looked through again wherever they are used.
pub(super) const FUEL: usize = 400;

/// Expressions in each other that a proof looks at.
const MOST_DEPTH: usize = 64;

/// Expressions that a proof looks at with all proofs that it needs, each of which has fuel of its own.
const MOST_STEPS: usize = 1000;

/// Unknowns of one function at most.
pub(super) const UNKNOWNS: usize = 1 << 20;

/// The purpose of an analysis.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub is_kernel: bool,
    /// Whether a launch may be asked for something.
    pub lifts: bool,
    /// Threads of a block at most, by the `launch_bounds` of all kernels that run the function.
    pub most_threads: Option<u32>,
}

/// A call of a function, as its caller sees it.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub scope: &'a FunctionScope<'a>,
    pub known: &'a Known,
    pub args: &'a [Expr],
}

/// The variables of a function, as far as the walk knows them.
pub(crate) struct FunctionScope<'a> {
    pub functions: &'a [Function],
    pub(super) vars: &'a [Variable],
    pub params: &'a [VarId],
    pub is_kernel: bool,
    /// Variables that something changes.
    changed: HashSet<VarId>,
    /// The call for which the function is analysed.
    pub caller: Option<Caller<'a>>,
    /// Number of the first value that only the device knows.
    pub(crate) unknowns: usize,
    /// Whether a launch may be asked for something.
    pub lifts: bool,
    /// The greatest number of threads in a block, if the kernel states it.
    pub(crate) most_threads: Option<u32>,
    /// The initial values of immutable variables, if they are the same wherever they are evaluated.
    pub definitions: HashMap<VarId, Expr>,
    /// Of other immutable conditions, the parts that are so, and the outcome that they have where the condition has it.
    pub conditions: HashMap<VarId, (Expr, bool)>,
    /// Ranges of immutable variables where they were initialised.
    pub ranges: HashMap<VarId, Range>,
    /// Closures' parameters and what they return, if that depends only on their arguments and on what never changes.
    pub(super) results: HashMap<VarId, (Vec<VarId>, Expr)>,
    /// What calls give, where the walk is.
    pub(super) outcomes: Vec<(Expr, Option<Held>)>,
    /// The lengths of slices that were made of others.
    pub extents: HashMap<VarId, Length>,
    /// Ranges of all that is ever stored in local arrays.
    pub stored: HashMap<VarId, Range>,
    /// Variables that the analysis does not track.
    pub untracked: HashSet<VarId>,
    /// Variables that are a power of two, or zero, all along.
    pub powers: HashSet<VarId>,
    /// Lengths that only the device knows.
    pub(super) lengths: RefCell<Vec<Expr>>,
    /// Whether terms that cancel are searched: what the search asks for is not searched once more.
    pub(super) searches: Cell<bool>,
    /// What a proof has looked at, in this function and its callers.
    effort: Rc<Effort>,
    /// The ranges of variables that a proof has found.
    pub(super) memo: Memo,
}

/// How far a proof has gone.
#[derive(Default)]
struct Effort {
    /// Expressions in each other.
    depth: Cell<usize>,
    /// Expressions that may still be looked at.
    left: Cell<usize>,
}

impl<'a> FunctionScope<'a> {
    pub fn new(functions: &'a [Function], function: &'a Function, body: &Block, kind: Kind) -> Self {
        let Kind { is_kernel, lifts, most_threads } = kind;
        let plain = Self {
            changed: changed_of(body, &function.vars),
            untracked: HashSet::new(),
            powers: HashSet::new(),
            functions,
            vars: &function.vars,
            params: &function.params,
            is_kernel,
            caller: None,
            unknowns: 0,
            lifts,
            most_threads,
            definitions: HashMap::new(),
            conditions: HashMap::new(),
            ranges: HashMap::new(),
            results: HashMap::new(),
            outcomes: Vec::new(),
            extents: HashMap::new(),
            stored: HashMap::new(),
            lengths: RefCell::default(),
            searches: Cell::new(false),
            effort: Rc::default(),
            memo: Memo::default(),
        };
        let untracked = untracked(body, |var| plain.is_mutable(var));
        Self { powers: bits::powers(body, &untracked), untracked, ..plain }
    }

    /// A function in the `n`-th analysed call.
    pub fn called(function: &'a Function, caller: Caller<'a>, n: usize) -> Self {
        let (lifts, most_threads) = (caller.scope.lifts, caller.scope.most_threads);
        let kind = Kind { is_kernel: false, lifts, most_threads };
        let plain = Self::new(caller.scope.functions, function, &function.body, kind);
        let effort = caller.scope.effort.clone();
        Self { caller: Some(caller), unknowns: n.saturating_mul(UNKNOWNS), effort, ..plain }
    }

    pub fn kind(&self, var: VarId) -> &VarKind {
        &self.vars[var.0 as usize].kind
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var.0 as usize].name
    }

    /// Returns whether a variable has other values later: it was declared so, and something changes it.
    pub fn is_mutable(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].mutable && self.changed.contains(&var)
    }

    /// Remembers what an immutable variable is.
    pub fn define(&mut self, var: VarId, init: &Expr, known: &Known) {
        if self.is_mutable(var) {
            return;
        }
        // Each walk over a loop defines its variables anew.
        self.forget(var);
        self.define_result(var, init);
        if self.is_stable(init) {
            self.definitions.insert(var, init.clone());
        } else if let Some(condition) = self.lasting_parts(init) {
            self.conditions.insert(var, condition);
        }
        if let Some(extent) = self.extent(init) {
            self.extents.insert(var, extent);
        }
        if let Some(scalar) = integer(init) {
            let range = self.range(init, known);
            // A range that says nothing would hide that the variable is the same wherever it stands.
            let all = Range::of_type(scalar);
            if range.high != all.high || range.low != all.low {
                self.ranges.insert(var, range);
            }
        }
    }

    /// Forgets what the variables are that a block defines.
    pub fn undefine(&mut self, block: &Block) {
        declared(block).into_iter().for_each(|var| self.forget(var));
    }

    /// Forgets what a variable is.
    pub fn forget(&mut self, var: VarId) {
        self.definitions.remove(&var);
        self.conditions.remove(&var);
        self.results.remove(&var);
        self.extents.remove(&var);
        self.ranges.remove(&var);
    }

    /// Returns whether an expression gives the same wherever it is evaluated.
    pub fn is_stable(&self, e: &Expr) -> bool {
        let own = match &e.kind {
            ExprKind::Var(var) => !self.is_mutable(*var),
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Exact(_)
            | ExprKind::Cast(_) => true,
            ExprKind::Field(..) | ExprKind::Len(_) | ExprKind::Select(..) | ExprKind::Ref(_) => true,
            ExprKind::Variant(..) | ExprKind::Tuple(_) => true,
            ExprKind::SubSlice { .. } | ExprKind::Table { .. } | ExprKind::ArrayList(_) => true,
            ExprKind::Index { base, .. } => self.list_of(base).is_some() || self.parameter(e).is_some(),
            ExprKind::Builtin { op, .. } => op.position().is_some() || op.facts.result.is_of_arguments(),
            _ => false,
        };
        own && e.all_operands(|e| self.is_stable(e))
    }

    /// The conditions under which `below < limit` holds: none, one, or `None` if it cannot be ensured.
    pub fn ensure(&self, below: Quantity, limit: Quantity) -> Option<Vec<Condition>> {
        if below.is_below(&limit) {
            return Some(Vec::new());
        }
        if !self.lifts {
            return None;
        }
        let below = below.askable().filter(|_| limit.is_known())?;
        let possible = below != limit && below.minimum() < limit.most();
        (possible && below.is_short() && limit.is_short()).then(|| vec![Condition { below, limit }])
    }

    /// The conditions under which a value of a range is not below a number.
    pub fn ensure_least(&self, range: &Range, least: i128) -> Option<Vec<Condition>> {
        if range.low.minimum() >= least {
            return Some(range.low_needs.clone());
        }
        if !self.lifts {
            return None;
        }
        let limit = range.low.clone().askable_least()?;
        let condition = Condition { below: Quantity::Const(least - 1), limit };
        let possible = condition.limit.most() >= least && condition.limit.is_short();
        possible.then(|| joined(&range.low_needs, &[condition]))
    }

    /// The conditions under which an expression is not negative: none, if its type has no negative values.
    pub fn ensure_positive(&self, e: &Expr, range: &Range) -> Option<Vec<Condition>> {
        if integer(e)?.is_unsigned() { Some(Vec::new()) } else { self.ensure_least(range, 0) }
    }

    /// The conditions under which a product does not wrap.
    pub fn is_exact(&self, e: &Expr, known: &Known) -> Option<Vec<Condition>> {
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &e.kind else { return Some(Vec::new()) };
        let (_, most) = integer(e)?.int_range()?;
        let (a, b) = (self.range(a, known), self.range(b, known));
        let needs = self.ensure(a.high.product(b.high), Quantity::Const(most + 1))?;
        Some(joined(&joined(&needs, &a.needs), &b.needs))
    }

    /// The range of an expression.
    pub fn range(&self, e: &Expr, known: &Known) -> Range {
        self.within(e, known, &mut FUEL.clone())
    }

    /// The same, of one proof. A fact may be about itself, so what an expression is made of is looked at as deep as a stack allows.
    pub fn within(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Range {
        let Some(scalar) = integer(e) else { return Range::of_type(Scalar::U64) };
        *fuel = fuel.saturating_sub(1);
        let Effort { depth: at, left } = &*self.effort;
        let depth = at.get();
        if depth == 0 {
            left.set(MOST_STEPS);
            self.begin_proof(known);
        } else {
            left.set(left.get().saturating_sub(1));
        }
        if *fuel == 0 || depth == MOST_DEPTH || left.get() == 0 {
            return Range::of_type(scalar);
        }
        at.set(depth + 1);
        let range = self.within_type(e, scalar, known, fuel);
        at.set(depth);
        range
    }

    fn within_type(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: &mut usize) -> Range {
        let all = Range::of_type(scalar);
        let mut range = match self.made_of(e, scalar, known, fuel) {
            // The ends of a wide type would only stand in the way of what a launch knows.
            Some(range) if scalar.bits() >= 32 => {
                let is_known = (range.low.is_known(), range.high.is_known());
                let Range { low, high, needs, low_needs } = range.clone().meet(&all);
                let (low, low_needs) =
                    if is_known.0 { (range.low, range.low_needs) } else { (low, low_needs) };
                let (high, needs) = if is_known.1 { (range.high, range.needs) } else { (high, needs) };
                Range { low, high, needs, low_needs }
            }
            Some(range) => range.meet(&all),
            None => all.clone(),
        };
        let key = strip(e);
        let facts = || known.ranges().filter(|(expr, _)| same(expr, key)).map(|(_, fact)| fact);
        // A launch is asked for what the guards say, rather than for that and the shape of the grid, what the addends of a
        // guarded sum come to, or that a number which may be negative is not.
        let is_sum = matches!(e.kind, ExprKind::Binary(BinaryOp::Add, ..)) && !range.high.is_of_block();
        let asks_sign = |need: &Condition| need.below == Quantity::Const(-1) && need.limit.has_negated();
        let is_asked = is_sum || range.high.has_grid() || range.needs.iter().any(asks_sign);
        let is_shape = self.lifts && range.high.as_const().is_none() && is_asked;
        let says =
            |fact: &Range| fact.high.as_const().is_none() && fact.high.is_telling() && !fact.high.has_grid();
        if is_shape && facts().any(says) {
            (range.high, range.needs) = (all.high.clone(), Vec::new());
        }
        // Nor is it asked whether a number is negative, where a guard says that it is not.
        let is_positive =
            |fact: &Range| fact.low.as_const().is_some_and(|low| low >= 0) && fact.low_needs.is_empty();
        let is_open = range.low.as_const().is_none() || !range.low_needs.is_empty();
        // What is left of another number rests on the number itself.
        let is_itself = matches!(range.low, Quantity::Param(_)) && range.low_needs.is_empty();
        if self.lifts && scalar.is_signed() && is_open && !is_itself && facts().any(is_positive) {
            (range.low, range.low_needs) = (all.low.clone(), Vec::new());
        }
        if let Some((high, needs)) = known.factor(e) {
            range = range.meet(&Range::at_most(scalar, high, needs));
        }
        facts().fold(range, |range, fact| range.meet(fact)).trimmed(&all)
    }

    /// The range by what an expression is made of.
    fn made_of(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        if let Some(n) = e.as_int() {
            return Some(Range::numbers(n, n));
        }
        match &e.kind {
            ExprKind::Var(var) => self.variable(*var, scalar, known, fuel),
            ExprKind::Len(of) => {
                if let Some(range) = self.changing_len(of, known, fuel) {
                    return Some(range);
                }
                let Length { count, needs } = self.length(of)?;
                Some(Range::exactly(count).needing(&needs))
            }
            ExprKind::Exact(inner) => {
                let plain = self.within(inner, known, fuel);
                let ExprKind::Binary(BinaryOp::Sub, a, b) = &inner.kind else { return Some(plain) };
                if scalar.is_signed() {
                    return Some(plain);
                }
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                let left = self.binary(BinaryOp::Sub, a, b, scalar, true);
                Some(left.into_iter().fold(plain, |plain, left| plain.meet(&left)))
            }
            ExprKind::Cast(inner) => self.cast(inner, scalar, known, fuel),
            ExprKind::Builtin { op, args, .. } => match op.position() {
                Some(position) => self.position(position),
                None => self.given(op.facts.result, args, scalar, known, fuel),
            },
            ExprKind::Field(base, axis) => {
                let plain = self.axis(base, axis).or_else(|| self.part(e));
                let plain = plain.or_else(|| self.view_part(base, axis));
                let plain = plain.or_else(|| self.part_of_enum(e, known, fuel));
                let plain = plain.or_else(|| self.fields_of(e, known, fuel));
                let plain = plain.or_else(|| self.passed_field(e, fuel));
                plain.or_else(|| known.given.returned(e)?.range())
            }
            ExprKind::Call { function, args, .. } => match self.outcome(e) {
                Some(held) => held.range(),
                None => self.returned(*function, args, known, fuel),
            },
            ExprKind::CallClosure { closure, args } => self.result(*closure, args, known, fuel),
            ExprKind::Select(..) => {
                let [a, b] =
                    self.branches(e, known)?.map(|(branch, facts)| self.within(branch, &facts, fuel));
                Some(a.hull(&b))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let range = self.within(a, known, fuel);
                let needs = range.all_needs();
                let negated = Range::new(range.high.negated(), range.low.negated());
                self.exact(negated.needing(&needs), scalar)
            }
            ExprKind::Binary(BinaryOp::Add, ..) => {
                let plain = self.added(e, scalar, known, fuel);
                match self.cancelled_sum(e, scalar, known, *fuel / 4) {
                    Some(cancelled) => Some(cancelled.with_parts(plain)),
                    None => plain,
                }
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() => {
                let is_less = *op == BinaryOp::Sub && known.is_less(b, a);
                let ordered =
                    known.is_ordered(b, a) || *op == BinaryOp::Sub && self.is_part(b, a, known, fuel);
                let told = match op {
                    BinaryOp::Div | BinaryOp::Shr => self.middle(a, b, *op, known, fuel),
                    BinaryOp::Sub => {
                        let short = self.short_of(a, b, scalar, known, fuel);
                        short.or_else(|| self.butterfly(e, scalar, known, fuel))
                    }
                    BinaryOp::Mul => self.bounded_product((a, b), scalar, known, fuel),
                    _ => None,
                };
                let holds = match op {
                    BinaryOp::Sub if !ordered => self.has_more(a, b, scalar, known, fuel),
                    _ => None,
                };
                let is_open = *op == BinaryOp::Sub && !ordered && told.is_none() && holds.is_none();
                let cancelled = if is_open { self.cancelled(e, scalar, known, *fuel / 4) } else { None };
                let is_divisor = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                let exceeds = is_divisor && self.exceeds_positive(b, known, *fuel);
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                let b = if exceeds { b.above_zero() } else { b };
                let plain = match holds {
                    Some(needs) => self.binary(*op, a, b, scalar, true).map(|range| range.needing(&needs)),
                    None => self.binary(*op, a, b, scalar, ordered),
                };
                // Nothing of a number above another is left only if they are the same.
                let plain = plain.map(|range| if is_less { range.above_zero() } else { range });
                if let Some(cancelled) = cancelled {
                    return Some(cancelled.with_parts(plain));
                }
                match (plain, told) {
                    (Some(plain), Some(told)) => Some(plain.meet(&told)),
                    (plain, told) => plain.or(told),
                }
            }
            ExprKind::Index { base, .. } => {
                let stored = || match &base.kind {
                    ExprKind::Var(array) => self.stored.get(array).cloned(),
                    _ => None,
                };
                self.elements_of(base, known, fuel).or_else(|| self.part(e)).or_else(stored)
            }
            _ => None,
        }
    }

    fn variable(&self, var: VarId, scalar: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        if self.is_mutable(var) {
            return None;
        }
        let Variable { name, kind, .. } = &self.vars[var.0 as usize];
        let all = Range::of_type(scalar);
        let ends = scalar.int_range()?;
        if let Some(definition) = self.definitions.get(&var) {
            let searches = self.searches.get();
            return Some(self.memo.of(var, known, searches, || self.within(definition, known, fuel)));
        }
        if let Some(range) = self.ranges.get(&var) {
            return Some(range.clone());
        }
        let position = self.params.iter().position(|param| *param == var);
        if let (Some(position), Some(Caller { scope, known, args })) = (position, self.caller) {
            let range = scope.within(args.get(position)?, known, fuel);
            // As above, a range without information would hide that the parameter is one value.
            if range.high != all.high || range.low != all.low {
                return Some(range);
            }
        }
        Some(match position {
            Some(position) if self.is_kernel && *kind == VarKind::Param => {
                let name = name.as_str().into();
                Range::exactly(Quantity::Param(Parameter { position, offset: 0, scalar, name }))
            }
            _ => {
                let high = Quantity::Unknown(self.unknowns + var.0 as usize, [ends.0, ends.1]);
                Range { high, ..all }
            }
        })
    }

    /// A number for what only the device knows, the same wherever it is asked for.
    pub fn unknown(&self, what: &Expr, most: i128) -> Quantity {
        let mut lengths = self.lengths.borrow_mut();
        let at = lengths.iter().position(|known| same(known, what)).unwrap_or_else(|| {
            lengths.push(what.clone());
            lengths.len() - 1
        });
        Quantity::Unknown(self.unknowns + self.vars.len() + at, [0, most])
    }

    fn cast(&self, inner: &Expr, to: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        if inner.ty == Type::BOOL {
            return Some(Range::numbers(0, 1));
        }
        let (from, (least, most)) = (integer(inner)?, to.int_range()?);
        let range = self.within(inner, known, fuel);
        let (low, high) = from.int_range()?;
        if least <= low && high <= most {
            return Some(range);
        }
        if !to.is_unsigned() || from.is_signed() && range.high.most() <= most {
            return self.exact(range, to);
        }
        // Truncation makes a value that is not negative only less.
        let positive = if from.is_unsigned() { Vec::new() } else { self.ensure_least(&range, 0)? };
        let range = Range { needs: joined(&range.needs, &positive), ..range };
        Some(self.fewer(range, to))
    }
}
