//! Loops by which a thread may wait for another one.
//!
//! Waiting is a fact of the builtin ([`Facts::waits`](crate::ir::Facts)), wherever the loop meets it: in its condition, in
//! its body, in a function that it calls or in a closure. This module knows no builtin by name.

use crate::ir::{Block, Expr, ExprKind, LoopId, Module, StmtKind, visit};

/// Returns whether a module has a loop that may wait.
pub(super) fn any(module: &Module) -> bool {
    // Whether a closure waits is known where it is made, not where it is called: if one waits, every call of a closure may.
    let mut waits = Waits::with(module, false);
    if waits.in_closure(module) {
        waits = Waits::with(module, true);
    }
    module.all_functions().any(|function| waits.in_loop(&function.body))
}

/// The functions and closures that wait, besides builtins.
struct Waits {
    /// The functions, by their numbers.
    functions: Vec<bool>,
    /// Whether a call of a closure may.
    closures: bool,
}

impl Waits {
    /// What waits in a module where closures do or do not.
    fn with(module: &Module, closures: bool) -> Self {
        let mut waits = Self { functions: Vec::new(), closures };
        // Functions come after those that they call.
        for function in &module.functions {
            let function = waits.block(&function.body);
            waits.functions.push(function);
        }
        waits
    }

    /// Returns whether a closure waits, wherever it is made.
    fn in_closure(&self, module: &Module) -> bool {
        let mut found = false;
        module.all_functions().for_each(|function| {
            visit::exprs(&function.body, &mut |e| {
                found |= matches!(&e.kind, ExprKind::Closure(closure) if self.block(&closure.body));
            });
        });
        found
    }

    fn in_loop(&self, body: &Block) -> bool {
        let mut found = false;
        visit::stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::While { cond, body, .. } => found |= self.expr(cond) || self.block(body),
            // A count that nothing cuts short is no wait.
            StmtKind::For { id, body, .. } => found |= is_left(body, *id) && self.block(body),
            _ => {}
        });
        found
    }

    fn block(&self, block: &Block) -> bool {
        let mut found = false;
        visit::exprs(block, &mut |e| found |= self.part(e));
        found
    }

    fn expr(&self, e: &Expr) -> bool {
        let mut found = false;
        visit::expr(e, &mut |part| found |= self.part(part));
        found
    }

    /// Returns whether an expression waits by itself, whatever its operands do.
    fn part(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Builtin { op, .. } => op.facts.waits,
            ExprKind::Call { function, .. } => {
                self.functions.get(function.0 as usize).copied().unwrap_or(true)
            }
            ExprKind::CallClosure { .. } => self.closures,
            ExprKind::Closure(closure) => self.block(&closure.body),
            _ => false,
        }
    }
}

/// Returns whether something in a loop may end it early.
fn is_left(body: &Block, id: LoopId) -> bool {
    let mut left = false;
    visit::stmts(body, &mut |stmt| {
        left |= match &stmt.kind {
            StmtKind::Break(of) => *of == id,
            StmtKind::Return(_) => true,
            _ => false,
        };
    });
    left
}
