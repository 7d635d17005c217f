//! Loops by which a thread may wait for another one.
//!
//! Waiting is a fact of the builtin ([`Facts::waits`](crate::ir::Facts)), wherever the loop meets it: in its condition, in
//! its body, in a function that it calls or in a closure. This module knows no builtin by name.

use crate::ir::{Block, Expr, ExprKind, LoopId, Module, StmtKind, visit};

/// Returns whether a module has a loop that may wait.
pub(super) fn any(module: &Module) -> bool {
    // Functions come after those that they call.
    let mut waiting = Vec::new();
    for function in &module.functions {
        let waits = block_waits(&function.body, &waiting);
        waiting.push(waits);
    }
    // Whether a closure waits is known where it is made, not where it is called.
    let mut closures = false;
    module.all_functions().for_each(|function| {
        visit::exprs(&function.body, &mut |e| {
            closures |= matches!(&e.kind, ExprKind::Closure(closure) if block_waits(&closure.body, &waiting));
        });
    });
    let waits = Waits { functions: &waiting, closures };
    module.all_functions().any(|function| waits.in_loop(&function.body))
}

fn block_waits(block: &Block, functions: &[bool]) -> bool {
    Waits { functions, closures: true }.block(block)
}

/// The functions and closures that wait, besides builtins.
struct Waits<'w> {
    /// The functions, by their numbers.
    functions: &'w [bool],
    /// Whether a call of a closure may.
    closures: bool,
}

impl Waits<'_> {
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
