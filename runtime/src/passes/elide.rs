//! Bounds-check elision: marks the indices that guards, loop bounds and the kinds of values prove.
//!
//! What holds only of some launches can be lifted: the index is then marked too, and the module says what a
//! launch must fulfil. A launch that does not is made with the checks.

use std::collections::HashSet;

use super::known::{Known, assigned, root, untracked};
use super::range::{Range, Scope, integer};
use crate::ir::{
    BinaryOp, Block, Condition, Expr, ExprKind, Function, Module, Proof, Quantity, RangeLoop, Stmt, StmtKind,
    Type, VarId, VarKind,
};

/// Conditions of a launch at most; further indices stay checked.
const MOST_CONDITIONS: usize = 64;

/// Marks what can be proven in every function of a module.
pub(super) fn elide(module: &mut Module) {
    for function in &mut module.functions {
        Walk::over(function, false, false);
    }
    for kernel in &mut module.launched {
        Walk::over(&mut kernel.function, true, false);
    }
    Walk::over(&mut module.kernel, true, false);
}

/// Marks what some launches prove of the kernel, and says what they fulfil.
///
/// Nobody asks a launch by a kernel for anything, so that a kernel which one launches keeps its checks.
pub(super) fn lift(module: &mut Module) {
    if module.is_relaunched() {
        return;
    }
    module.conditions = Walk::over(&mut module.kernel, true, true);
}

struct Walk<'a> {
    scope: Scope<'a>,
    known: Known,
    untracked: HashSet<VarId>,
    conditions: Vec<Condition>,
}

impl<'a> Walk<'a> {
    fn over(function: &mut Function, is_kernel: bool, lifts: bool) -> Vec<Condition> {
        let mut body = std::mem::take(&mut function.body);
        let scope = Scope::new(function, is_kernel, lifts);
        let untracked = untracked(&body, &scope);
        let mut walk = Walk { scope, known: Known::default(), untracked, conditions: Vec::new() };
        walk.block(&mut body);
        let conditions = walk.conditions;
        function.body = body;
        conditions
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
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) => self.mark(e),
            StmtKind::Assign { place, value, .. } => {
                self.mark(value);
                self.mark(place);
                self.known.forget(&root(place).into_iter().collect());
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
        self.known.forget(&assigned(body));
        let before = self.known.clone();
        if !self.scope.is_mutable(range.var) && integer(&range.start).is_some() {
            let past = if range.inclusive { end.high.clone().plus(1) } else { end.high.clone() };
            let high = last_step(range, &past).map_or_else(|| past.plus(-1), Quantity::Const);
            self.scope.ranges.insert(range.var, start.to(high, &end));
        }
        self.block(body);
        self.known = before;
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
        match &mut e.kind {
            ExprKind::Select(cond, a, b) => {
                self.mark(cond);
                for (branch, outcome) in [(a, true), (b, false)] {
                    let facts = self.implied(cond, outcome);
                    self.with(facts, |walk| walk.mark(branch));
                }
                return;
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                self.mark(a);
                let facts = self.implied(a, *op == BinaryOp::And);
                self.with(facts, |walk| walk.mark(b));
                return;
            }
            ExprKind::Closure(closure) => {
                let known = std::mem::take(&mut self.known);
                self.block(&mut closure.body);
                self.known = known;
            }
            _ => {}
        }
        for operand in e.operands_mut() {
            self.mark(operand);
        }
        if let ExprKind::Index { base, index, proof: proof @ Proof::Open, .. } = &mut e.kind
            && let Some(needs) = self.needs(base, index)
        {
            *proof = self.ask(needs);
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
        let (extent, length) = (self.extent(base)?, self.length(base));
        let needs = if range.high.most() < length.low {
            length.needs
        } else {
            self.scope.ensure(range.high, extent)?
        };
        Some([needs, range.needs].concat())
    }

    /// What guards say of how many elements an indexed expression has.
    fn length(&self, base: &Expr) -> Range {
        let length = Expr { kind: ExprKind::Len(base.clone().into()), ty: Type::U64 };
        self.scope.range(&length, &self.known)
    }

    /// How many elements an indexed expression has.
    fn extent(&self, base: &Expr) -> Option<Quantity> {
        match &base.ty {
            Type::Array(_, n) => Some(Quantity::Const(*n as i128)),
            Type::Shared { .. } => self.scope.shared_extent(base).map(Quantity::Const),
            _ => self.scope.shared_extent(base).map(Quantity::Const).or_else(|| self.scope.length(base)),
        }
    }
}

impl Scope<'_> {
    /// The extent of a shared array, or of a row of one.
    fn shared_extent(&self, base: &Expr) -> Option<i128> {
        let (mut depth, mut place) = (0, base);
        while let ExprKind::Index { base, .. } = &place.kind {
            depth += 1;
            place = base;
        }
        let ExprKind::Var(id) = place.kind else { return None };
        match self.kind(id) {
            VarKind::Shared { extents, .. } => extents.get(depth).map(|n| *n as i128),
            _ => None,
        }
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
