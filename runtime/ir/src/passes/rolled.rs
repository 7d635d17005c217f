//! Asks compilers not to unroll loops, for a comparison with the normal text.

use crate::ir::{Block, Expr, ExprKind, Module, StmtKind};

/// Asks of every loop of a module that it is not unrolled.
pub(super) fn rolled(module: &mut Module) {
    module.all_functions_mut().for_each(|function| block(&mut function.body));
}

fn block(body: &mut Block) {
    for stmt in &mut body.stmts {
        match &mut stmt.kind {
            StmtKind::For { range, body, .. } => {
                range.unroll = Some(Some(1));
                block(body);
            }
            StmtKind::While { unroll, body, .. } => {
                *unroll = Some(Some(1));
                block(body);
            }
            StmtKind::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(block),
            StmtKind::Block(body) => block(body),
            StmtKind::Let { init: Some(e), .. } | StmtKind::Expr(e) | StmtKind::Return(Some(e)) => {
                closures(e)
            }
            StmtKind::Assign { value, .. } => closures(value),
            _ => {}
        }
    }
}

/// The bodies of the closures in an expression.
fn closures(e: &mut Expr) {
    if let ExprKind::Closure(closure) = &mut e.kind {
        block(&mut closure.body);
    }
    e.operands_mut().into_iter().for_each(closures);
}
