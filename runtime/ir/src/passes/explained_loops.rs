//! Explains the loops of a module by its text, in words.
//!
//! A module that the passes have marked comes in. A [`LoopFinding`] for each loop goes out, outer loops before inner ones.
//! This module does not know how loops are printed, or what a compiler makes of them.

use std::collections::HashMap;

use super::wording::Wording;
use crate::ir::{
    Block, Expr, ExprKind, Function, Location, LoopId, Module, Proof, RangeLoop, Stmt, StmtKind, visit,
};
use crate::validate::ValidModule;

/// A loop, with the facts that decide whether a compiler can unroll it.
#[derive(Clone, Debug)]
pub struct LoopFinding {
    /// The kernel or the device function that contains it.
    pub function: String,
    /// Its identity in that function.
    pub id: LoopId,
    /// Its location.
    pub at: Location,
    /// Its head in Rust: `for k in 0..n`.
    pub text: String,
    /// The loop around it, by its index among all findings.
    pub around: Option<usize>,
    /// `#[unroll]` (`Some(None)`) or `#[unroll(N)]`.
    pub unroll: Option<Option<u32>>,
    /// Its number of iterations.
    pub iterations: Iterations,
    /// Whether a `break` or a `return` may end it early.
    pub leaves: bool,
    /// The indices in its own statements, without those of inner loops, each with its proof.
    pub indices: Vec<(String, Proof)>,
    /// Lines of its own statements.
    pub lines: Vec<Location>,
}

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// This number, in every launch.
    Constant(u128),
    /// The length of its range, which is known before the first iteration.
    OfRange,
    /// Unknown before it runs: it ends when its condition fails or something leaves it.
    Open,
}

/// The findings about every loop of a module.
pub fn explain_loops(module: &ValidModule) -> Vec<LoopFinding> {
    let module = module.module();
    let mut found = Vec::new();
    for function in module.kernels().map(|(kernel, _)| kernel).chain(&module.functions) {
        let mut search = Search::new(module, function, &mut found);
        search.block(&function.body);
    }
    found
}

/// A walk through one function.
struct Search<'a> {
    function: &'a Function,
    wording: Wording<'a>,
    /// The loops around, innermost last, by their indices in `found`.
    around: Vec<usize>,
    found: &'a mut Vec<LoopFinding>,
}

impl<'a> Search<'a> {
    fn new(module: &'a Module, function: &'a Function, found: &'a mut Vec<LoopFinding>) -> Self {
        let names = function.vars.iter().map(|var| var.name.clone()).collect();
        let wording = Wording { functions: &module.functions, names, held: HashMap::new() };
        Self { function, wording, around: Vec::new(), found }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &Stmt) {
        if let StmtKind::Let { var, init: Some(init) } = &stmt.kind {
            self.wording.held.insert(*var, init.clone());
        }
        let head = match &stmt.kind {
            StmtKind::While { id, cond, unroll, .. } => {
                Some((*id, self.while_head(cond), *unroll, Iterations::Open))
            }
            StmtKind::For { id, range, .. } => {
                Some((*id, self.for_head(range), range.unroll, counted(range)))
            }
            _ => None,
        };
        self.leaves(stmt);
        let Some((id, text, unroll, iterations)) = head else {
            self.own(stmt);
            return visit::blocks(stmt).into_iter().for_each(|block| self.block(block));
        };
        // The range of a loop is evaluated before it, a condition inside it.
        if let StmtKind::For { .. } = &stmt.kind {
            self.own(stmt);
        }
        let (function, around) = (self.function.name.clone(), self.around.last().copied());
        self.around.push(self.found.len());
        self.found.push(LoopFinding {
            function,
            id,
            at: stmt.at,
            text,
            around,
            unroll,
            iterations,
            leaves: false,
            indices: Vec::new(),
            lines: Vec::new(),
        });
        if let StmtKind::While { .. } = &stmt.kind {
            self.own(stmt);
        }
        visit::blocks(stmt).into_iter().for_each(|block| self.block(block));
        self.around.pop();
    }

    /// Notes the effect of a statement itself on the innermost loop around it.
    fn own(&mut self, stmt: &Stmt) {
        for e in visit::operands(stmt) {
            visit::expr(e, &mut |e| self.expression(e));
        }
        if let Some(own) = self.around.last().map(|at| &mut self.found[*at])
            && stmt.at.line != own.at.line
            && !own.lines.contains(&stmt.at)
        {
            own.lines.push(stmt.at);
        }
    }

    fn expression(&mut self, e: &Expr) {
        if let ExprKind::Closure(closure) = &e.kind {
            self.block(&closure.body);
        }
        let Some(at) = self.around.last().copied() else { return };
        if let ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } = &e.kind {
            let index = (self.wording.of(e), *proof);
            let own = &mut self.found[at].indices;
            if !own.contains(&index) {
                own.push(index);
            }
        }
    }

    /// Notes which loops a statement may leave before they are done.
    fn leaves(&mut self, stmt: &Stmt) {
        let left: &[usize] = match &stmt.kind {
            StmtKind::Break(id) => {
                let of = self.around.iter().rposition(|at| self.found[*at].id == *id);
                &self.around[of.unwrap_or(self.around.len())..]
            }
            StmtKind::Return(_) => &self.around,
            _ => &[],
        };
        left.iter().for_each(|at| self.found[*at].leaves = true);
    }

    fn while_head(&self, cond: &Expr) -> String {
        match cond.as_bool() {
            Some(true) => "loop".to_owned(),
            _ => format!("while {}", self.wording.of(cond)),
        }
    }

    fn for_head(&self, range: &RangeLoop) -> String {
        let name = self.wording.names.get(range.var.0 as usize).filter(|name| !name.is_empty());
        let name = name.map_or("_", |name| name.as_str());
        let [start, end] = [&range.start, &range.end].map(|e| self.wording.of(e));
        let dots = if range.inclusive { "..=" } else { ".." };
        let plain = format!("{start}{dots}{end}");
        let stepped = match (&range.step, range.reversed) {
            (Some(step), _) => format!("({plain}).step_by({})", self.wording.of(step)),
            (None, true) => format!("({plain}).rev()"),
            (None, false) => plain,
        };
        format!("for {name} in {stepped}")
    }
}

/// The numbers of a range, where its ends and its step are constants.
fn counted(range: &RangeLoop) -> Iterations {
    let (Some(start), Some(end)) = (range.start.as_int(), range.end.as_int()) else {
        return Iterations::OfRange;
    };
    let step = range.step.as_ref().map_or(Some(1), Expr::as_int).filter(|step| *step > 0);
    let Some(step) = step else { return Iterations::OfRange };
    let past = end.saturating_add(i128::from(range.inclusive));
    let span = u128::try_from(past.saturating_sub(start)).unwrap_or(0);
    Iterations::Constant(span.div_ceil(step.unsigned_abs()))
}
