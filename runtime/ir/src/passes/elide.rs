//! Bounds-check elision: marks the indices that guards, loop bounds and the kinds of values prove.
//!
//! A proof that holds only for some launches can be lifted: the index is then marked too, and the module lists the
//! conditions of the launch. A launch that does not fulfil them is compiled with the checks.

use std::collections::HashSet;

use super::calls::{Aim, Callee, Calls, Outcome};
use super::closures::Closures;
use super::elements::{Stored, learn_elements};
use super::exits::Exits;
use super::explain::{Finding, Notes, missing};
use super::field_vars::{is_inserted, with_field_vars};
use super::invariant::Assigned;
use super::lengths::compare_lengths;
use super::narrow::Narrowing;
use crate::ir::{
    Block, Condition, Expr, ExprKind, FnId, Form, Function, Lazy, Module, Proof, Stmt, StmtKind, VarId, visit,
};
use crate::ranges::{Caller, FunctionScope, Held, Kind, Known, Range, assigned, root, same};

/// Conditions of a launch at most; further indices stay checked.
const MOST_CONDITIONS: usize = 64;

/// The number of statements of a function that are walked for the invariants of its loops.
const BUDGET: usize = 20_000;

/// Marks what can be proven in every function of a module.
pub(super) fn elide(module: &mut Module) {
    with_field_vars(module, |module| {
        // Any of the kernels may call a function.
        let bounds: Option<Vec<u32>> =
            module.kernels().map(|(_, attributes)| attributes.max_threads).collect();
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
        let kind = Kind { is_kernel: true, lifts: false, most_threads };
        Walk::over(&module.functions, &mut module.kernel, kind);
    });
}

/// Marks the checks that some launches prove, and lists the conditions that these launches fulfil.
///
/// A launch by a kernel fulfils no conditions, so a kernel that another one launches keeps its checks.
pub(super) fn lift(module: &mut Module) {
    if module.is_relaunched() {
        return;
    }
    with_field_vars(module, |module| {
        let most_threads = module.attributes.max_threads;
        let kind = Kind { is_kernel: true, lifts: true, most_threads };
        let (conditions, calls) = Walk::over(&module.functions, &mut module.kernel, kind);
        module.conditions = conditions;
        // Functions that another kernel calls were not analysed.
        if module.launched.is_empty() {
            prove_called(module, calls);
        }
        compare_lengths(module, MOST_CONDITIONS);
    });
}

/// Marks what all calls of a device function prove of it.
fn prove_called(module: &mut Module, calls: Calls) {
    for at in 0..module.functions.len() {
        let id = FnId(at as u32);
        let callee = Callee::Function(id);
        if !calls.prove(callee) {
            continue;
        }
        let (before, rest) = module.functions.split_at_mut(at);
        let mut body = std::mem::take(&mut rest[0].body);
        let most_threads = module.attributes.max_threads;
        let kind = Kind { is_kernel: false, lifts: true, most_threads };
        let scope = FunctionScope::new(before, &rest[0], &body, kind);
        let mut walk = Walk::new(scope);
        (walk.aim, walk.calls) = (Aim::Mark(callee), calls.clone());
        walk.conditions = std::mem::take(&mut module.conditions);
        walk.block(&mut body);
        module.conditions = walk.conditions;
        rest[0].body = body;
    }
}

pub(super) struct Walk<'a> {
    pub(super) scope: FunctionScope<'a>,
    pub(super) known: Known,
    pub(super) untracked: HashSet<VarId>,
    pub(super) conditions: Vec<Condition>,
    pub(super) aim: Aim,
    pub(super) calls: Calls,
    /// The closures that the walk has met.
    pub(super) closures: Closures,
    /// Checks that the walk has passed.
    pub(super) passed: usize,
    /// Ranges of the counters of the loops around, wherever these stand.
    pub(super) counters: Vec<(Expr, Range)>,
    /// Ranges that hold wherever they stand in the loops around, whatever is assigned.
    pub(super) lasting: Vec<(Expr, Range)>,
    /// The blocks around that run once, as far as what holds behind them is looked for.
    pub(super) exits: Vec<Exits>,
    /// The findings about indices, if the walk explains and does not mark.
    pub(super) notes: Option<Notes<'a>>,
    /// The assigned values, if the walk looks for those and marks nothing.
    pub(super) assigned: Option<Assigned>,
    /// How many symbols there were before the loop whose assigned values are looked for: these keep their values in it.
    pub(super) symbols_before: usize,
    /// The statements that may still be walked for that.
    pub(super) budget: usize,
    /// The values that are stored in local arrays, if the walk looks for those and marks nothing.
    pub(super) stored: Option<Stored>,
    /// What a function gives, if the walk goes through it for that and marks nothing.
    pub(super) outcome: Option<Outcome>,
    /// Calls that were walked through for what they give.
    pub(super) asked: usize,
    /// The integers that fit narrower types, if the walk looks for those and marks nothing.
    pub(super) narrowing: Option<Narrowing>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(scope: FunctionScope<'a>) -> Self {
        let (known, untracked) = (Known::default(), scope.untracked.clone());
        let (aim, calls) = (Aim::Own, Calls::default());
        let (conditions, counters, lasting) = (Vec::new(), Vec::new(), Vec::new());
        Walk {
            scope,
            known,
            untracked,
            conditions,
            aim,
            calls,
            closures: Closures::default(),
            passed: 0,
            counters,
            lasting,
            exits: Vec::new(),
            notes: None,
            assigned: None,
            symbols_before: 0,
            budget: BUDGET,
            stored: None,
            outcome: None,
            asked: 0,
            narrowing: None,
        }
    }

    /// Collects findings about indices from here on, and marks none.
    pub(super) fn explains(&mut self, notes: Notes<'a>) {
        self.notes = Some(notes);
    }

    /// The findings.
    pub(super) fn findings(self) -> Vec<Finding> {
        self.notes.map_or_else(Vec::new, |notes| notes.found)
    }

    fn over(functions: &[Function], function: &mut Function, kind: Kind) -> (Vec<Condition>, Calls) {
        let mut body = std::mem::take(&mut function.body);
        let scope = learn_elements(FunctionScope::new(functions, function, &body, kind), &body);
        let mut walk = Walk::new(scope);
        walk.block(&mut body);
        walk.mark_closures(&mut body);
        let found = (walk.conditions, walk.calls);
        function.body = body;
        found
    }

    /// Whether the walk marks what it proves.
    fn marks(&self) -> bool {
        let looks = self.assigned.is_some() || self.stored.is_some() || self.outcome.is_some();
        !looks && self.notes.is_none() && self.narrowing.is_none()
    }

    /// Counts a call, and returns whether what it proves is looked for.
    pub(super) fn enters(&mut self) -> bool {
        self.scope.lifts && self.marks() && !matches!(self.aim, Aim::Mark(_)) && self.calls.enter()
    }

    /// Looks at a device function for one call of it.
    pub(super) fn enter(&mut self, id: FnId, args: &[Expr]) {
        let Some(function) = self.scope.functions.get(id.0 as usize) else { return };
        if !self.enters() {
            return;
        }
        let mut body = function.body.clone();
        let caller = Caller { scope: &self.scope, known: &self.known, args };
        let mut walk = Walk::new(FunctionScope::called(function, caller, self.calls.entered()));
        (walk.aim, walk.calls) = (Aim::Called(Callee::Function(id)), std::mem::take(&mut self.calls));
        walk.block(&mut body);
        self.calls = walk.calls;
    }

    pub(super) fn block(&mut self, block: &mut Block) {
        let known = self.known.clone();
        for stmt in &mut block.stmts {
            self.statement(stmt);
        }
        self.known = known;
        self.known.forget(&assigned(block));
    }

    pub(super) fn statement(&mut self, stmt: &mut Stmt) {
        if self.assigned.is_some() {
            self.budget = self.budget.saturating_sub(1);
        }
        self.scope.forget_outcomes();
        self.known.given.forget_unless(is_inserted(stmt));
        self.walk_statement(stmt);
        self.scope.forget_outcomes();
        self.known.given.forget_unless(visit::blocks(stmt).is_empty());
        self.known.pass(stmt);
    }

    fn walk_statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
            StmtKind::While { id, cond, body, .. }
                if cond.as_bool() == Some(true) && visit::runs_once(body, *id) =>
            {
                self.once(*id, body);
            }
            StmtKind::While { id, cond, body, .. } => self.while_loop(*id, cond, body),
            StmtKind::For { id, range, body, .. } => self.range_loop(*id, range, body),
            StmtKind::Block(body) => self.block(body),
            StmtKind::Let { var, init: Some(e) } => {
                self.mark(e);
                self.learn_passed(e);
                self.narrow_value(*var, e, None);
                // In another iteration it was another variable.
                self.known.forget(&HashSet::from([*var]));
                self.scope.define(*var, e, &self.known);
                self.known.choose(*var, e, &self.scope);
                self.name(*var, e);
                self.notes.iter_mut().for_each(|notes| notes.hold(*var, e));
                self.meet_closure(*var, e);
                self.begin(*var, e);
                self.learn_length(*var, e);
                if self.scope.is_mutable(*var) || !self.scope.is_stable(e) {
                    let place = self.scope.read_var(*var);
                    let orders = self.known.orders_after(&place, None, e, &self.scope);
                    let cuts = self.cuts(&place, |len| self.is_at_most(e, len, &self.known));
                    self.known.learn_orders(orders.into_iter().chain(cuts));
                }
                self.give_symbols(&HashSet::from([*var]));
            }
            StmtKind::Assert { cond, debug: true, proof, failure } => {
                self.mark(cond);
                self.prove(cond, proof);
                if let Some(mut notes) = self.notes.take() {
                    notes.add_assertion(cond, failure, *proof, stmt.at);
                    self.notes = Some(notes);
                }
            }
            StmtKind::Assert { cond, .. } => {
                self.mark(cond);
                let facts = self.implied(cond, true);
                self.known.extend(facts);
            }
            StmtKind::Expr(e) => {
                self.mark(e);
                self.learn_passed(e);
                if let Some(cond) = assumed(e) {
                    let facts = self.implied(cond, true);
                    self.known.extend(facts);
                }
            }
            StmtKind::Return(value) => {
                if let Some(e) = value {
                    self.mark(e);
                    self.note_returned(e);
                }
                self.note_left();
            }
            StmtKind::Assign { place, op, value } => {
                self.mark(value);
                self.mark(place);
                self.learn_passed(value);
                self.learn_passed(place);
                if let ExprKind::Var(var) = place.kind {
                    self.narrow_value(var, value, op.map(|op| (op, &*place)));
                }
                let given = self.given(place, *op, value);
                self.store(place, *op, value);
                let products = self.known.products_after(place, *op, value, &self.scope);
                let orders = self.known.orders_after(place, *op, value, &self.scope);
                self.known.forget(&root(place).into_iter().collect());
                self.known.learn_products(products);
                self.known.learn_orders(orders);
                if let Some((at, held)) = given {
                    match held {
                        // A sum says no more of what a loop counts than the loop does, but for constants.
                        Held::Within(range) if self.count(&at) => self.learn_constants(&at, &range),
                        held => self.learn_held(&at, held),
                    }
                    self.give_symbols(&root(&at).into_iter().collect());
                }
            }
            StmtKind::Print { args, .. } => args.iter_mut().for_each(|e| self.mark(e)),
            StmtKind::Launch(launch) => launch.operands_mut().into_iter().for_each(|e| self.mark(e)),
            StmtKind::Let { init: None, .. }
            | StmtKind::Shared(_)
            | StmtKind::DynamicShared(_)
            | StmtKind::Continue(_) => {}
            StmtKind::Break(id) => self.note_exit(*id),
        }
    }

    /// Adds the range of a variable, unless it is untracked.
    pub(super) fn learn(&mut self, place: &Expr, range: Range) {
        if !root(place).is_some_and(|var| self.untracked.contains(&var)) {
            self.known.learn(place, range);
        }
    }

    /// Learns the ends of a range as constants, if they rest on nothing.
    fn learn_constants(&mut self, place: &Expr, range: &Range) {
        if range.all_needs().is_empty() {
            self.learn(place, Range::numbers(range.low.minimum(), range.high.most()));
        }
    }

    /// Learns the range of a variable that is assigned in spite of that; returns whether a loop counts with it.
    fn count(&mut self, place: &Expr) -> bool {
        let lasting = self.lasting.iter().filter(|(var, _)| same(var, place));
        lasting.for_each(|(var, range)| self.known.learn(var, range.clone()));
        let counter = self.counters.iter().rfind(|(var, _)| same(var, place));
        counter.into_iter().for_each(|(var, range)| self.known.learn(var, range.clone()));
        counter.is_some()
    }

    /// Does something with more facts, and forgets them.
    pub(super) fn with(&mut self, facts: Known, what: impl FnOnce(&mut Self)) {
        let known = self.known.clone();
        self.known.extend(facts);
        what(self);
        self.known = known;
    }

    pub(super) fn implied(&self, cond: &Expr, outcome: bool) -> Known {
        self.known.implied(cond, outcome, &self.scope)
    }

    /// Marks the indices of an expression that are proven.
    pub(super) fn mark(&mut self, e: &mut Expr) {
        if let Some(Lazy { condition, parts }) = e.lazy_mut() {
            self.mark(condition);
            let mut calls = false;
            for (part, outcome) in parts {
                let facts = self.implied(condition, outcome);
                visit::expr(part, &mut |e| calls |= e.is_call());
                self.with(facts, |walk| walk.mark(part));
            }
            // What was called before may be changed by what may be called now.
            self.known.given.forget_unless(!calls);
            return;
        }
        if let ExprKind::Closure(closure) = &mut e.kind {
            let (known, outcome) = (std::mem::take(&mut self.known), self.outcome.take());
            self.block(&mut closure.body);
            (self.known, self.outcome) = (known, outcome);
        }
        if matches!(e.kind, ExprKind::Call { .. }) {
            return self.mark_call(e);
        }
        for operand in e.operands_mut() {
            self.mark(operand);
        }
        if let ExprKind::CallClosure { closure, args } = &e.kind {
            self.forget_given(args);
            self.note_called(*closure, args);
            self.enter_closure(*closure, args);
        }
        self.check(e);
    }

    /// Marks an index or a range that is proven, or notes it for all calls of its function.
    fn check(&mut self, e: &mut Expr) {
        if self.assigned.is_some() || self.stored.is_some() || self.outcome.is_some() {
            return;
        }
        if self.narrowing.is_some() {
            return self.narrow_here(e);
        }
        if let Some(mut notes) = self.notes.take() {
            notes.add(e, |words| missing(e, words, |index| self.scope.range(index, &self.known)));
            self.notes = Some(notes);
            return;
        }
        let is_open = |proof: &Proof| *proof == Proof::Open;
        if !matches!(&e.kind, ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } if is_open(proof))
        {
            return;
        }
        let Some(asked) = self.proof_by(|walk| walk.needs_of(e)) else { return };
        if let ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } = &mut e.kind {
            *proof = asked;
        }
    }

    /// Marks an assertion that is proven, or notes it for all calls of its function.
    fn prove(&mut self, cond: &Expr, proof: &mut Proof) {
        if self.marks() && *proof == Proof::Open {
            *proof = self.proof_by(|walk| walk.needs_of_assertion(cond)).unwrap_or(Proof::Open);
        }
    }

    /// The proof of the next check, by what it rests on; nothing if it is not proven here.
    fn proof_by(&mut self, needs: impl FnOnce(&Self) -> Option<Vec<Condition>>) -> Option<Proof> {
        self.passed += 1;
        let needs = match self.aim {
            Aim::Mark(callee) => self.calls.needs(callee, self.passed),
            _ => needs(self),
        };
        if let Aim::Called(callee) = self.aim {
            self.calls.note(callee, self.passed, needs);
            return None;
        }
        needs.map(|needs| self.ask(needs))
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
}

/// The condition of an `assume`.
fn assumed(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Builtin { op, args, .. } if op.facts.form == Form::Assumption => args.first(),
        _ => None,
    }
}

/// Returns whether control never passes the end of a block.
pub(super) fn leaves(block: &Block) -> bool {
    matches!(
        block.stmts.last().map(|s| &s.kind),
        Some(StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_))
    )
}
