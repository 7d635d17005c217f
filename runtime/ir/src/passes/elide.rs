//! Bounds-check elision: marks the indices that guards, loop bounds and the kinds of values prove.
//!
//! What holds only of some launches can be lifted: the index is then marked too, and the module says what a
//! launch must fulfil. A launch that does not is made with the checks.

use std::collections::HashSet;

use super::calls::{Aim, Calls};
use super::counter::counters;
use crate::ir::{
    Block, Condition, Expr, ExprKind, FnId, Form, Function, Lazy, Module, Proof, Quantity, RangeLoop, Stmt,
    StmtKind, Type, VarId,
};
use crate::ranges::{
    Caller, FunctionScope, Kind, Known, Range, assigned, axes, integer, root, same, untracked,
};

/// Conditions of a launch at most; further indices stay checked.
const MOST_CONDITIONS: usize = 64;

/// Marks what can be proven in every function of a module.
pub(super) fn elide(module: &mut Module) {
    // Any of the kernels may call a function.
    let bounds: Option<Vec<u32>> = module.kernels().map(|(_, attributes)| attributes.max_threads).collect();
    let most_threads = bounds.and_then(|bounds| bounds.into_iter().max());
    for at in 0..module.functions.len() {
        let (before, rest) = module.functions.split_at_mut(at);
        Walk::over(before, &mut rest[0], Kind { is_kernel: false, lifts: false, most_threads });
    }
    for kernel in &mut module.launched {
        let most_threads = kernel.attributes.max_threads;
        let kind = Kind { is_kernel: true, lifts: false, most_threads };
        Walk::over(&module.functions, &mut kernel.function, kind);
    }
    let most_threads = module.attributes.max_threads;
    Walk::over(&module.functions, &mut module.kernel, Kind { is_kernel: true, lifts: false, most_threads });
}

/// Marks what some launches prove of the kernel, and says what they fulfil.
///
/// Nobody asks a launch by a kernel for anything, so that a kernel which one launches keeps its checks.
pub(super) fn lift(module: &mut Module) {
    if module.is_relaunched() {
        return;
    }
    let most_threads = module.attributes.max_threads;
    let kind = Kind { is_kernel: true, lifts: true, most_threads };
    let (conditions, calls) = Walk::over(&module.functions, &mut module.kernel, kind);
    module.conditions = conditions;
    // What another kernel calls was not looked at.
    if module.launched.is_empty() {
        prove_called(module, calls);
    }
}

/// Marks what all calls of a device function prove of it.
fn prove_called(module: &mut Module, calls: Calls) {
    for at in 0..module.functions.len() {
        let id = FnId(at as u32);
        if !calls.prove(id) {
            continue;
        }
        let (before, rest) = module.functions.split_at_mut(at);
        let mut body = std::mem::take(&mut rest[0].body);
        let most_threads = module.attributes.max_threads;
        let kind = Kind { is_kernel: false, lifts: true, most_threads };
        let scope = FunctionScope::new(before, &rest[0], &body, kind);
        let mut walk = Walk::new(scope, &body);
        (walk.aim, walk.calls) = (Aim::Mark(id), calls.clone());
        walk.conditions = std::mem::take(&mut module.conditions);
        walk.block(&mut body);
        module.conditions = walk.conditions;
        rest[0].body = body;
    }
}

struct Walk<'a> {
    scope: FunctionScope<'a>,
    known: Known,
    untracked: HashSet<VarId>,
    conditions: Vec<Condition>,
    aim: Aim,
    calls: Calls,
    /// Checks that the walk has passed.
    passed: usize,
    /// Ranges that hold wherever they stand in the loops around, whatever is assigned.
    counters: Vec<(Expr, Range)>,
}

impl<'a> Walk<'a> {
    fn new(scope: FunctionScope<'a>, body: &Block) -> Self {
        let (known, untracked) = (Known::default(), untracked(body, &scope));
        let (aim, calls) = (Aim::Own, Calls::default());
        let (conditions, counters) = (Vec::new(), Vec::new());
        Walk { scope, known, untracked, conditions, aim, calls, passed: 0, counters }
    }

    fn over(functions: &[Function], function: &mut Function, kind: Kind) -> (Vec<Condition>, Calls) {
        let mut body = std::mem::take(&mut function.body);
        let mut walk = Walk::new(FunctionScope::new(functions, function, &body, kind), &body);
        walk.block(&mut body);
        let found = (walk.conditions, walk.calls);
        function.body = body;
        found
    }

    /// Looks at a device function for one call of it.
    fn enter(&mut self, id: FnId, args: &[Expr]) {
        let Some(function) = self.scope.functions.get(id.0 as usize) else { return };
        if !self.scope.lifts || matches!(self.aim, Aim::Mark(_)) || !self.calls.enter() {
            return;
        }
        let mut body = function.body.clone();
        let caller = Caller { scope: &self.scope, known: &self.known, args };
        let mut walk = Walk::new(FunctionScope::called(function, caller, self.calls.entered()), &body);
        (walk.aim, walk.calls) = (Aim::Called(id), std::mem::take(&mut self.calls));
        walk.block(&mut body);
        self.calls = walk.calls;
    }

    fn block(&mut self, block: &mut Block) {
        let known = self.known.clone();
        for stmt in &mut block.stmts {
            self.statement(stmt);
        }
        self.known = known;
        self.known.forget(&assigned(block));
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
            StmtKind::While { cond, body, .. } => {
                self.known.forget(&assigned(body));
                self.mark(cond);
                let facts = self.implied(cond, true);
                self.with(facts, |walk| walk.block(body));
            }
            StmtKind::For { range, body, .. } => self.range_loop(range, body),
            StmtKind::Block(body) => self.block(body),
            StmtKind::Let { var, init: Some(e) } => {
                self.mark(e);
                self.scope.define(*var, e, &self.known);
                if self.scope.is_mutable(*var) && !self.untracked.contains(var) {
                    let range = self.scope.range(e, &self.known);
                    let place = Expr { kind: ExprKind::Var(*var), ty: e.ty.clone() };
                    self.known.learn(&place, range);
                }
            }
            StmtKind::Assert { cond, debug, .. } => {
                self.mark(cond);
                if !*debug {
                    let facts = self.implied(cond, true);
                    self.known.extend(facts);
                }
            }
            StmtKind::Expr(e) => {
                self.mark(e);
                if let Some(cond) = assumed(e) {
                    let facts = self.implied(cond, true);
                    self.known.extend(facts);
                }
            }
            StmtKind::Return(Some(e)) => self.mark(e),
            StmtKind::Assign { place, value, .. } => {
                self.mark(value);
                self.mark(place);
                self.known.forget(&root(place).into_iter().collect());
                self.count(place);
            }
            StmtKind::Print { args, .. } => args.iter_mut().for_each(|e| self.mark(e)),
            StmtKind::Launch(launch) => launch.operands_mut().into_iter().for_each(|e| self.mark(e)),
            StmtKind::Let { init: None, .. }
            | StmtKind::Shared(_)
            | StmtKind::DynamicShared(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(None) => {}
        }
    }

    fn branch(&mut self, cond: &mut Expr, then: &mut Block, otherwise: &mut Block) {
        self.mark(cond);
        let (if_true, if_false) = (self.implied(cond, true), self.implied(cond, false));
        let before = self.known.clone();
        self.with(if_true.clone(), |walk| walk.block(then));
        self.known = before.clone();
        self.with(if_false.clone(), |walk| walk.block(otherwise));
        self.known = before;
        if leaves(then) {
            self.known.extend(if_false);
        } else if leaves(otherwise) {
            self.known.extend(if_true);
        }
        // A branch that leaves changes nothing for what comes after it.
        for branch in [then, otherwise].into_iter().filter(|branch| !leaves(branch)) {
            self.known.forget(&assigned(branch));
        }
    }

    fn range_loop(&mut self, range: &mut RangeLoop, body: &mut Block) {
        for e in [Some(&mut range.start), Some(&mut range.end), range.step.as_mut()].into_iter().flatten() {
            self.mark(e);
        }
        let (start, end) =
            (self.scope.range(&range.start, &self.known), self.scope.range(&range.end, &self.known));
        let (entry, mut found) = (self.known.clone(), Vec::new());
        self.known.forget(&assigned(body));
        let before = self.known.clone();
        if !self.scope.is_mutable(range.var) && integer(&range.start).is_some() {
            let past = if range.inclusive { end.high.clone().plus(1) } else { end.high.clone() };
            let high = last_step(range, &past).map_or_else(|| past.plus(-1), Quantity::Const);
            self.scope.ranges.insert(range.var, start.to(high, &end));
            let var = Expr { kind: ExprKind::Var(range.var), ty: range.start.ty.clone() };
            self.known.stays_below(&var, &range.end, range.inclusive);
            // The end was evaluated before the first iteration.
            self.known.forget(&assigned(body));
            self.known.forget(&self.untracked);
            found = counters(range, body, &self.scope, &entry, &self.known, &self.untracked);
        }
        let outer = self.counters.len();
        self.counters.extend(found.iter().cloned());
        found.iter().for_each(|(var, range)| self.known.learn(var, range.clone()));
        self.block(body);
        self.counters.truncate(outer);
        self.known = before;
        found.into_iter().for_each(|(var, range)| self.known.learn(&var, range));
    }

    /// What is known of a variable that was assigned all the same.
    fn count(&mut self, place: &Expr) {
        let own = self.counters.iter().filter(|(var, _)| same(var, place));
        own.for_each(|(var, range)| self.known.learn(var, range.clone()));
    }

    /// Does something with more facts, and forgets them.
    fn with(&mut self, facts: Known, what: impl FnOnce(&mut Self)) {
        let known = self.known.clone();
        self.known.extend(facts);
        what(self);
        self.known = known;
    }

    fn implied(&self, cond: &Expr, outcome: bool) -> Known {
        self.known.implied(cond, outcome, &self.scope, &self.untracked)
    }

    /// Marks the indices of an expression that are proven.
    fn mark(&mut self, e: &mut Expr) {
        if let Some(Lazy { condition, parts }) = e.lazy_mut() {
            self.mark(condition);
            for (part, outcome) in parts {
                let facts = self.implied(condition, outcome);
                self.with(facts, |walk| walk.mark(part));
            }
            return;
        }
        if let ExprKind::Closure(closure) = &mut e.kind {
            let known = std::mem::take(&mut self.known);
            self.block(&mut closure.body);
            self.known = known;
        }
        for operand in e.operands_mut() {
            self.mark(operand);
        }
        if let ExprKind::Call { function, args, .. } = &e.kind {
            self.enter(*function, args);
        }
        self.check(e);
    }

    /// Marks an index or a range that is proven, or notes it for all calls of its function.
    fn check(&mut self, e: &mut Expr) {
        let is_open = |proof: &Proof| *proof == Proof::Open;
        if !matches!(&e.kind, ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } if is_open(proof))
        {
            return;
        }
        self.passed += 1;
        let needs = match self.aim {
            Aim::Mark(id) => self.calls.needs(id, self.passed),
            _ => self.needs_of(e),
        };
        if let Aim::Called(id) = self.aim {
            return self.calls.note(id, self.passed, needs);
        }
        let Some(needs) = needs else { return };
        let asked = self.ask(needs);
        if let ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } = &mut e.kind {
            *proof = asked;
        }
    }

    fn needs_of(&self, e: &Expr) -> Option<Vec<Condition>> {
        match &e.kind {
            ExprKind::Index { base, index, .. } => match base.ty.peeled() {
                Type::View { rank, .. } if *rank > 1 => self.needs_of_axes(base, index, *rank),
                _ => self.needs(base, index),
            },
            ExprKind::SubSlice { base, start: None, end: None, .. } => self.needs_of_whole(base, &e.ty),
            ExprKind::SubSlice { base, start, end, .. } => {
                self.needs_of_range(base, start.as_deref(), end.as_deref())
            }
            _ => None,
        }
    }

    /// The proof that rests on conditions, which join those of the module as long as there is room.
    fn ask(&mut self, needs: Vec<Condition>) -> Proof {
        let mut bits = 0;
        for need in &needs {
            let known = self.conditions.iter().position(|condition| condition == need);
            let at = known.unwrap_or(self.conditions.len());
            if at >= MOST_CONDITIONS {
                return Proof::Open;
            }
            if known.is_none() {
                self.conditions.push(need.clone());
            }
            bits |= 1 << at;
        }
        if bits == 0 { Proof::Text } else { Proof::Launch(bits) }
    }

    /// What a launch must fulfil for an index to be in bounds; `None` if nothing makes it so.
    fn needs(&self, base: &Expr, index: &Expr) -> Option<Vec<Condition>> {
        integer(index)?;
        let range = self.scope.range(index, &self.known);
        if range.low < 0 {
            return None;
        }
        let length = self.length(base);
        if range.high.most() < length.low {
            return Some([length.needs, range.needs].concat());
        }
        self.scope.inside(base, Some(index), range, &self.known)
    }

    /// As [`Walk::needs`], of a view with an index for each axis.
    fn needs_of_axes(&self, view: &Expr, index: &Expr, rank: usize) -> Option<Vec<Condition>> {
        let ExprKind::Tuple(parts) = &index.kind else { return None };
        let mut needs = Vec::new();
        for (part, axis) in parts.iter().zip(axes(rank)) {
            integer(part)?;
            let range = self.scope.range(part, &self.known);
            let extent = self.scope.axis_extent(view, axis).filter(|_| range.low >= 0)?;
            needs.extend(self.scope.ensure(range.high, extent)?);
            needs.extend(range.needs);
        }
        Some(needs)
    }

    /// What makes the bounds of a range ones of `base`, in order.
    fn needs_of_range(
        &self,
        base: &Expr,
        start: Option<&Expr>,
        end: Option<&Expr>,
    ) -> Option<Vec<Condition>> {
        let range = |e: &Expr| Some(self.scope.range(e, &self.known)).filter(|range| range.low >= 0);
        let past = self.scope.length(base)?.plus(1);
        let within =
            |range: Range| Some([self.scope.ensure(range.high, past.clone())?, range.needs].concat());
        match (start, end) {
            (None, None) => Some(Vec::new()),
            (Some(last), None) | (None, Some(last)) => within(range(last)?),
            (Some(start), Some(end)) => {
                let (first, last) = (range(start)?, range(end)?);
                let ordered = match self.known.is_ordered(start, end) {
                    true => Vec::new(),
                    false => self.in_order(start, end, first.high, last.low)?,
                };
                Some([ordered, first.needs, within(last)?].concat())
            }
        }
    }

    /// What makes the start of a range no more than its end.
    fn in_order(&self, start: &Expr, end: &Expr, first: Quantity, last: i128) -> Option<Vec<Condition>> {
        let Some(distance) = self.scope.distance(start, end) else {
            return self.scope.ensure(first, Quantity::Const(last).plus(1));
        };
        // The end is not less unless the sum wraps.
        let (_, most) = integer(distance)?.int_range()?;
        let range = Some(self.scope.range(distance, &self.known)).filter(|range| range.low >= 0)?;
        let fits = self.scope.ensure(first.sum(range.high), Quantity::Const(most + 1))?;
        Some([fits, range.needs].concat())
    }

    /// What makes a whole slice aligned for the type that it is seen as.
    fn needs_of_whole(&self, base: &Expr, ty: &Type) -> Option<Vec<Condition>> {
        let (from, to) = (base.ty.element()?.align(), ty.element()?.align());
        let aligned = to <= from || self.scope.alignment(base).is_some_and(|bytes| bytes >= to);
        aligned.then(Vec::new)
    }

    /// What guards say of how many elements an indexed expression has.
    fn length(&self, base: &Expr) -> Range {
        let length = Expr { kind: ExprKind::Len(base.clone().into()), ty: Type::U64 };
        self.scope.range(&length, &self.known)
    }
}

/// What `assume` says holds.
fn assumed(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Builtin { op, args, .. } if op.facts.form == Form::Assumption => args.first(),
        _ => None,
    }
}

/// The last value of a loop whose bounds and step are constants.
fn last_step(range: &RangeLoop, past: &Quantity) -> Option<i128> {
    let (start, past) = (range.start.as_int()?, past.as_const()?);
    let step = range.step.as_ref()?.as_int().filter(|step| *step > 0)?;
    (start < past).then(|| start + (past - 1 - start) / step * step)
}

/// Whether control never passes the end of a block.
fn leaves(block: &Block) -> bool {
    matches!(
        block.stmts.last().map(|s| &s.kind),
        Some(StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_))
    )
}
