//! Ranges of integers: what an expression never leaves, in terms of what a launch knows.
//!
//! The upper end of an unsigned value is that of exact arithmetic: where the kernel's own wraps, the value is
//! only less. Signed arithmetic must not wrap; that it does not is a condition of the range.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::bits;
use super::interval::{exactly, fits};
use super::known::{Known, changed, same, strip};
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, FnId, Function, Parameter, Quantity, ResultRange, Scalar,
    StmtKind, UnaryOp, VarId, VarKind, Variable,
};

/// Expressions that a single proof looks at: definitions are looked through again wherever they are used.
const FUEL: usize = 400;

/// The least value, the greatest, and what a launch must fulfil for that.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub low: i128,
    pub high: Quantity,
    pub needs: Vec<Condition>,
}

impl Range {
    /// All values of a type.
    pub fn of_type(scalar: Scalar) -> Self {
        let (low, high) = scalar.int_range().unwrap_or((i128::MIN, i128::MAX));
        Self { low, high: Quantity::Const(high), needs: Vec::new() }
    }

    /// From one number to another.
    pub(crate) fn numbers(low: i128, high: i128) -> Self {
        Self { low, high: Quantity::Const(high), needs: Vec::new() }
    }

    /// From 0 to one less than a quantity.
    pub(crate) fn below(limit: Quantity) -> Self {
        Self { low: 0, high: limit.plus(-1), needs: Vec::new() }
    }

    /// From the least of this range to a greatest value, which another range gave.
    pub fn to(self, high: Quantity, other: &Range) -> Self {
        Range { high, ..self }.needing(&other.needs)
    }

    /// What is in both.
    pub fn meet(mut self, other: &Range) -> Self {
        self.low = self.low.max(other.low);
        self.high = self.high.least(other.high.clone());
        self.needing(&other.needs)
    }

    pub fn needing(mut self, needs: &[Condition]) -> Self {
        for need in needs {
            if !self.needs.contains(need) {
                self.needs.push(need.clone());
            }
        }
        self
    }
}

/// Unknowns of one function at most.
const UNKNOWNS: usize = 1 << 20;
/// Number of the first unknown of a function that is only asked for what it returns.
const RETURNED: usize = usize::MAX / 2;

/// What a function is looked at for.
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

/// What a function's variables are, as far as it is known where the walk stands.
pub(crate) struct FunctionScope<'a> {
    pub functions: &'a [Function],
    vars: &'a [Variable],
    pub params: &'a [VarId],
    pub is_kernel: bool,
    /// Variables that something changes.
    changed: HashSet<VarId>,
    /// The call that the function is looked at for.
    pub caller: Option<Caller<'a>>,
    /// Number of the first value that only the device knows.
    unknowns: usize,
    /// Whether a launch may be asked for something.
    pub lifts: bool,
    /// Threads of a block at most, where a kernel says so.
    pub(crate) most_threads: Option<u32>,
    /// What immutable variables were initialised with, if that gives the same wherever it is evaluated.
    pub definitions: HashMap<VarId, Expr>,
    /// Ranges of immutable variables where they were initialised.
    pub ranges: HashMap<VarId, Range>,
    /// How many elements slices have that were made of others.
    pub extents: HashMap<VarId, Quantity>,
    /// Lengths that only the device knows.
    lengths: RefCell<Vec<Expr>>,
}

impl<'a> FunctionScope<'a> {
    pub fn new(functions: &'a [Function], function: &'a Function, body: &Block, kind: Kind) -> Self {
        let Kind { is_kernel, lifts, most_threads } = kind;
        Self {
            changed: changed(body),
            functions,
            vars: &function.vars,
            params: &function.params,
            is_kernel,
            caller: None,
            unknowns: 0,
            lifts,
            most_threads,
            definitions: HashMap::new(),
            ranges: HashMap::new(),
            extents: HashMap::new(),
            lengths: RefCell::default(),
        }
    }

    /// A function in the `n`th call that is looked at.
    pub fn called(function: &'a Function, caller: Caller<'a>, n: usize) -> Self {
        let (lifts, most_threads) = (caller.scope.lifts, caller.scope.most_threads);
        let kind = Kind { is_kernel: false, lifts, most_threads };
        let plain = Self::new(caller.scope.functions, function, &function.body, kind);
        Self { caller: Some(caller), unknowns: n.saturating_mul(UNKNOWNS), ..plain }
    }

    pub fn kind(&self, var: VarId) -> &VarKind {
        &self.vars[var.0 as usize].kind
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var.0 as usize].name
    }

    /// Whether a variable has other values later: it was declared so, and something changes it.
    pub fn is_mutable(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].mutable && self.changed.contains(&var)
    }

    /// Remembers what an immutable variable is.
    pub fn define(&mut self, var: VarId, init: &Expr, known: &Known) {
        if self.is_mutable(var) {
            return;
        }
        if self.is_stable(init) {
            self.definitions.insert(var, init.clone());
        }
        if let Some(extent) = self.extent(init) {
            self.extents.insert(var, extent);
        }
        if let Some(scalar) = integer(init) {
            let range = self.range(init, known);
            // A range that says nothing would hide that the variable is the same wherever it stands.
            if range.high.as_const() != scalar.int_range().map(|(_, high)| high) {
                self.ranges.insert(var, range);
            }
        }
    }

    /// Whether an expression gives the same wherever it is evaluated.
    pub fn is_stable(&self, e: &Expr) -> bool {
        let own = match &e.kind {
            ExprKind::Var(var) => !self.is_mutable(*var),
            ExprKind::Const(_) | ExprKind::Field(..) | ExprKind::Len(_) | ExprKind::Ref(_) => true,
            ExprKind::SubSlice { .. } => true,
            ExprKind::Builtin { op, .. } => op.position().is_some(),
            _ => e.is_operator() || e.lazy().is_some(),
        };
        own && e.operands().iter().all(|e| self.is_stable(e))
    }

    /// What makes `below < limit` sure: nothing, a condition, or `None` if nothing can.
    pub fn ensure(&self, below: Quantity, limit: Quantity) -> Option<Vec<Condition>> {
        if below.is_below(&limit) {
            return Some(Vec::new());
        }
        if !self.lifts {
            return None;
        }
        let below = below.askable()?;
        let possible = below.as_const().is_none_or(|n| n < limit.most());
        (possible && limit.is_known()).then(|| vec![Condition { below, limit }])
    }

    /// What makes sure that a product does not wrap.
    pub fn is_exact(&self, e: &Expr, known: &Known) -> Option<Vec<Condition>> {
        let ExprKind::Binary(BinaryOp::Mul, a, b) = &e.kind else { return Some(Vec::new()) };
        let (_, most) = integer(e)?.int_range()?;
        let (a, b) = (self.range(a, known), self.range(b, known));
        let needs = self.ensure(a.high.product(b.high), Quantity::Const(most + 1))?;
        Some([needs, a.needs, b.needs].concat())
    }

    /// What an expression never leaves.
    pub fn range(&self, e: &Expr, known: &Known) -> Range {
        self.within(e, known, &mut FUEL.clone())
    }

    pub fn within(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Range {
        let Some(scalar) = integer(e) else { return Range::of_type(Scalar::U64) };
        let all = Range::of_type(scalar);
        *fuel = fuel.saturating_sub(1);
        if *fuel == 0 {
            return all;
        }
        let mut range = match self.made_of(e, scalar, known, fuel) {
            // The greatest value of a wide type would only stand in the way of what a launch knows.
            Some(range) if scalar.bits() >= 32 && range.high.is_known() => range,
            Some(range) => range.meet(&all),
            None => all.clone(),
        };
        let key = strip(e);
        let mut facts = known.ranges().filter(|(expr, _)| same(expr, key)).map(|(_, fact)| fact).peekable();
        // A launch is asked for what the guards say, rather than for that and the shape of the grid.
        let is_shape = self.lifts && range.high.as_const().is_none();
        if is_shape && facts.peek().is_some_and(|fact| fact.high.as_const().is_none() && fact.high.is_known())
        {
            range.high = all.high;
        }
        facts.fold(range, |range, fact| range.meet(fact))
    }

    /// The range by what an expression is made of.
    fn made_of(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        if let Some(n) = e.as_int() {
            return Some(Range { low: n, high: Quantity::Const(n), needs: Vec::new() });
        }
        match &e.kind {
            ExprKind::Var(var) => self.variable(*var, scalar, known, fuel),
            ExprKind::Len(of) => Some(Range { low: 0, high: self.length(of)?, needs: Vec::new() }),
            ExprKind::Cast(inner) => self.cast(inner, scalar, known, fuel),
            ExprKind::Builtin { op, args, .. } => match op.position() {
                Some(position) => self.position(position),
                None => self.given(op.facts.result, args, known, fuel),
            },
            ExprKind::Field(base, axis) => self.axis(base, axis).or_else(|| self.part(base, axis, e)),
            ExprKind::Call { function, args, .. } => self.returned(*function, args, known, fuel),
            ExprKind::Select(_, a, b) => {
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                let high = a.high.greatest(b.high);
                Some(Range { low: a.low.min(b.low), high, needs: a.needs }.needing(&b.needs))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let range = self.within(a, known, fuel);
                let negated = (range.high.most().checked_neg()?, range.low.checked_neg()?);
                let own = Range::numbers(negated.0, negated.1).needing(&range.needs);
                fits(negated, scalar).then_some(own)
            }
            ExprKind::Binary(op, a, b) if !op.is_comparison() => {
                let is_less = known.is_ordered(b, a);
                let ordered = is_less || *op == BinaryOp::Sub && self.is_part(b, a, known, fuel);
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                self.binary(*op, a, b, scalar, ordered)
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
        let most = all.high.as_const()?;
        if let Some(definition) = self.definitions.get(&var) {
            return Some(self.within(definition, known, fuel));
        }
        if let Some(range) = self.ranges.get(&var) {
            return Some(range.clone());
        }
        let position = self.params.iter().position(|param| *param == var);
        if let (Some(position), Some(Caller { scope, known, args })) = (position, self.caller) {
            let range = scope.within(args.get(position)?, known, fuel);
            // As above, a range that says nothing would hide that the parameter is one value.
            if range.high.as_const() != Some(most) {
                return Some(range);
            }
        }
        let high = match position {
            Some(position) if self.is_kernel && *kind == VarKind::Param => {
                Quantity::Param(Parameter { position, offset: 0, scalar, name: name.clone() })
            }
            _ => Quantity::Unknown(self.unknowns + var.0 as usize, most),
        };
        Some(Range { high, ..all })
    }

    /// A number for what only the device knows, the same wherever it is asked for.
    pub fn unknown(&self, what: &Expr, most: i128) -> Quantity {
        let mut lengths = self.lengths.borrow_mut();
        let at = lengths.iter().position(|known| same(known, what)).unwrap_or_else(|| {
            lengths.push(what.clone());
            lengths.len() - 1
        });
        Quantity::Unknown(self.unknowns + self.vars.len() + at, most)
    }

    /// The range of what a function returns that does nothing else.
    fn returned(&self, function: FnId, args: &[Expr], known: &Known, fuel: &mut usize) -> Option<Range> {
        let function = self.functions.get(function.0 as usize)?;
        let [only] = function.body.stmts.as_slice() else { return None };
        let StmtKind::Return(Some(value)) = &only.kind else { return None };
        let caller = Caller { scope: self, known, args };
        let scope = FunctionScope { unknowns: RETURNED, ..FunctionScope::called(function, caller, 0) };
        let range = scope.within(value, &Known::default(), fuel);
        // What is unknown in one call is another thing in the next.
        if !range.high.has_unknown(&|id| id >= RETURNED) {
            return Some(range);
        }
        let high = Quantity::Const(range.high.most());
        Some(Range { high, ..range })
    }

    /// What a builtin gives, by its facts.
    fn given(&self, result: ResultRange, args: &[Expr], known: &Known, fuel: &mut usize) -> Option<Range> {
        match (result, args) {
            (ResultRange::Least | ResultRange::Greatest, [a, b]) => {
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                let (low, high) = match result {
                    ResultRange::Least => (a.low.min(b.low), a.high.least(b.high)),
                    _ => (a.low.max(b.low), a.high.greatest(b.high)),
                };
                Some(Range { low, high, needs: a.needs }.needing(&b.needs))
            }
            (ResultRange::Clamped, [_, least, most]) => self.clamped(least, most, known, fuel),
            (ResultRange::UpToFirst, [first, ..]) if integer(first)?.is_unsigned() => {
                Some(Range { low: 0, ..self.within(first, known, fuel) })
            }
            (ResultRange::UpToBits, [first, ..]) => Some(Range::numbers(0, integer(first)?.bits().into())),
            (ResultRange::Within(low, high), _) => Some(Range::numbers(low.into(), high.into())),
            _ => None,
        }
    }

    /// What `clamp` gives: never more than `most`, and not less than `least` unless that is more than `most`.
    fn clamped(&self, least: &Expr, most: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        let (below, above) = (self.within(least, known, fuel), self.within(most, known, fuel));
        let low = below.low.min(above.low);
        let range = Range { low, high: above.high.clone(), needs: above.needs }.needing(&below.needs);
        if above.low >= below.low && range.low == below.low {
            return Some(range);
        }
        let ordered = self.exactly(most, known, fuel).and_then(|exact| {
            let needs = self.ensure(below.high.clone(), exact.high.plus(1))?;
            Some([needs, exact.needs].concat())
        });
        match ordered {
            Some(needs) => Some(Range { low: below.low, ..range }.needing(&needs)),
            None => Some(range),
        }
    }

    /// The value of an expression that the host knows, as the greatest value of the range.
    pub fn exactly(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        let (least, most) = integer(e)?.int_range()?;
        let plain = |high: Quantity| Range { low: least, high, needs: Vec::new() };
        match &e.kind {
            _ if e.as_int().is_some() => e.as_int().map(|n| plain(Quantity::Const(n))),
            ExprKind::Var(_) | ExprKind::Field(..) => {
                let scalar = integer(e)?;
                if let Some(place) = self.parameter(e) {
                    return Some(plain(place.integer(scalar)));
                }
                let ExprKind::Var(var) = &e.kind else { return None };
                self.exactly(self.definitions.get(var)?, known, fuel)
            }
            ExprKind::Cast(inner) => {
                let exact = self.exactly(inner, known, fuel)?;
                let fits = self.ensure(exact.high.clone(), Quantity::Const(most + 1))?;
                (exact.low >= least).then(|| exact.needing(&fits))
            }
            ExprKind::Binary(BinaryOp::Div, a, b) if least == 0 => {
                let (exact, n) = (self.exactly(a, known, fuel)?, b.as_int().filter(|n| *n > 0)?);
                Some(Range { high: exact.high.quotient(n), ..exact })
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                let (exact, n) = (self.exactly(a, known, fuel)?, b.as_int().filter(|n| *n >= 0)?);
                let lower = self.within(a, known, fuel);
                let low = lower.low.checked_sub(n).filter(|low| *low >= least)?;
                let needs = [exact.needs, lower.needs].concat();
                Some(Range { low, high: exact.high.plus(-n), needs })
            }
            _ => None,
        }
    }

    fn cast(&self, inner: &Expr, to: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        integer(inner)?;
        let range = self.within(inner, known, fuel);
        if range.low < 0 {
            return fits((range.low, range.high.most()), to).then_some(range);
        }
        // Truncation makes a value that is not negative only less, unless its sign comes of it.
        if to.is_unsigned() { Some(fewer(range, to)) } else { self.exact(range, to) }
    }
}

impl FunctionScope<'_> {
    /// The range of arithmetic that must not wrap.
    fn exact(&self, range: Range, scalar: Scalar) -> Option<Range> {
        let (least, most) = scalar.int_range()?;
        if range.low < least {
            return None;
        }
        let needs = self.ensure(range.high.clone(), Quantity::Const(most + 1))?;
        Some(range.needing(&needs))
    }

    /// The range of `a op b`; `ordered` says that `b` is at most `a`.
    fn binary(&self, op: BinaryOp, a: Range, b: Range, scalar: Scalar, ordered: bool) -> Option<Range> {
        let positive = a.low >= 0 && b.low >= 0;
        let plain = exactly(op, (a.low, a.high.most()), (b.low, b.high.most()));
        let needs = Range { needs: a.needs, ..Range::of_type(scalar) }.needing(&b.needs).needs;
        let made = |low: i128, high: Quantity| Range { low, high, needs };
        let wrapping = |range: Range| {
            if scalar.is_unsigned() { Some(fewer(range, scalar)) } else { self.exact(range, scalar) }
        };
        match op {
            BinaryOp::Add => wrapping(made(a.low.saturating_add(b.low), a.high.sum(b.high))),
            BinaryOp::Mul if positive => wrapping(made(a.low.saturating_mul(b.low), a.high.product(b.high))),
            BinaryOp::Sub if positive => {
                let least = a.low.saturating_sub(b.high.most());
                let low = if ordered { least.max(0) } else { least };
                match scalar.is_unsigned() {
                    true if low < 0 => None,
                    true => Some(made(low, a.high.plus(-b.low))),
                    false => Some(made(low.max(scalar.int_range()?.0), a.high.plus(-b.low))),
                }
            }
            BinaryOp::Div if a.low >= 0 && b.low > 0 => {
                let high = match b.high.as_const() {
                    Some(c) if c == b.low => a.high.quotient(c),
                    _ => a.high.quotient(b.low),
                };
                Some(made(0, high))
            }
            BinaryOp::Rem if a.low >= 0 && b.low >= 0 => Some(made(0, b.high.plus(-1).least(a.high))),
            BinaryOp::BitAnd if positive => Some(made(0, a.high.least(b.high))),
            BinaryOp::BitOr if positive => Some(made(a.low.max(b.low), bits::joined(a.high, b.high))),
            BinaryOp::BitXor if positive => Some(made(0, bits::joined(a.high, b.high))),
            BinaryOp::Shr if a.low >= 0 => match b.high.as_const() {
                Some(c) if c == b.low && (0..i128::from(scalar.bits())).contains(&c) => {
                    Some(made(a.low >> c, a.high.quotient(1 << c)))
                }
                _ => Some(made(0, a.high)),
            },
            BinaryOp::Shl if a.low >= 0 => match b.high.as_const() {
                Some(c) if c == b.low && (0..i128::from(scalar.bits()) - 1).contains(&c) => {
                    wrapping(made(a.low.saturating_mul(1 << c), a.high.product(Quantity::Const(1 << c))))
                }
                Some(c) if b.low >= 0 && (0..i128::from(scalar.bits()) - 1).contains(&c) => {
                    wrapping(made(0, a.high.product(Quantity::Const(1 << c))))
                }
                _ => None,
            },
            // Negative numbers: no more is known than of plain ones.
            _ => {
                plain.filter(|plain| fits(*plain, scalar)).map(|(low, high)| made(low, Quantity::Const(high)))
            }
        }
    }
}

/// The integer type of an expression.
pub(crate) fn integer(e: &Expr) -> Option<Scalar> {
    e.ty.scalar().filter(|scalar| scalar.is_int())
}

/// The range after unsigned arithmetic that may have wrapped: the least value is then not known.
fn fewer(range: Range, scalar: Scalar) -> Range {
    let fits = scalar.int_range().is_some_and(|(_, most)| range.high.most() <= most);
    if fits { range } else { Range { low: 0, ..range } }
}
