//! Walks over statements and expressions.

use super::{Block, Expr, ExprKind, LoopId, Stmt, StmtKind};

/// Calls `visit` for every statement of a block, nested ones after the one they stand in.
pub fn stmts<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Stmt)) {
    for stmt in &block.stmts {
        visit(stmt);
        for inner in blocks(stmt) {
            stmts(inner, visit);
        }
        for e in operands(stmt) {
            closures(e, &mut |body| stmts(body, visit));
        }
    }
}

/// Returns whether a statement of a block goes on with the next iteration of a loop.
pub fn continues(block: &Block, id: LoopId) -> bool {
    let mut any = false;
    stmts(block, &mut |stmt| any |= matches!(stmt.kind, StmtKind::Continue(of) if of == id));
    any
}

/// Returns whether a loop's body runs at most once, as a labelled block's does: it ends by leaving the loop, and nothing continues it.
pub fn runs_once(body: &Block, id: LoopId) -> bool {
    let ends =
        matches!(body.stmts.last().map(|stmt| &stmt.kind), Some(StmtKind::Break(_) | StmtKind::Return(_)));
    ends && !continues(body, id)
}

/// Calls `visit` for every expression of a block, operands before what uses them.
pub fn exprs<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Expr)) {
    stmts(block, &mut |stmt| {
        for e in operands(stmt) {
            expr(e, visit);
        }
    });
}

/// Calls `visit` for an expression and everything in it but the bodies of closures.
pub fn expr<'b>(e: &'b Expr, visit: &mut dyn FnMut(&'b Expr)) {
    e.each_operand(|operand| expr(operand, visit));
    visit(e);
}

fn closures<'b>(e: &'b Expr, visit: &mut dyn FnMut(&'b Block)) {
    match &e.kind {
        ExprKind::Closure(closure) => visit(&closure.body),
        _ => e.each_operand(|operand| closures(operand, visit)),
    }
}

/// The blocks of a statement.
pub fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::While { body, .. } | StmtKind::For { body, .. } | StmtKind::Block(body) => vec![body],
        _ => vec![],
    }
}

/// The blocks of a statement, to be changed.
pub fn blocks_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::While { body, .. } | StmtKind::For { body, .. } | StmtKind::Block(body) => vec![body],
        _ => vec![],
    }
}

/// The expressions of a statement itself, in the order of evaluation.
pub fn operands(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Let { init, .. } => init.iter().collect(),
        StmtKind::Assign { place, value, .. } => vec![value, place],
        StmtKind::Expr(e) => vec![e],
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } | StmtKind::Assert { cond, .. } => {
            vec![cond]
        }
        StmtKind::For { range, .. } => [&range.start, &range.end].into_iter().chain(&range.step).collect(),
        StmtKind::Return(value) => value.iter().collect(),
        StmtKind::Print { args, .. } => args.iter().collect(),
        StmtKind::Launch(launch) => launch.operands(),
        StmtKind::Shared(_)
        | StmtKind::DynamicShared(_)
        | StmtKind::Block(_)
        | StmtKind::Break(_)
        | StmtKind::Continue(_) => vec![],
    }
}

/// The expressions of a statement itself, to be changed.
pub fn operands_mut(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Let { init, .. } => init.iter_mut().collect(),
        StmtKind::Assign { place, value, .. } => vec![value, place],
        StmtKind::Expr(e) => vec![e],
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } | StmtKind::Assert { cond, .. } => {
            vec![cond]
        }
        StmtKind::For { range, .. } => {
            [&mut range.start, &mut range.end].into_iter().chain(&mut range.step).collect()
        }
        StmtKind::Return(value) => value.iter_mut().collect(),
        StmtKind::Print { args, .. } => args.iter_mut().collect(),
        StmtKind::Launch(launch) => launch.operands_mut(),
        StmtKind::Shared(_)
        | StmtKind::DynamicShared(_)
        | StmtKind::Block(_)
        | StmtKind::Break(_)
        | StmtKind::Continue(_) => vec![],
    }
}

/// Calls `change` for every expression, before its operands; these are left alone where it says that it is done.
pub fn exprs_mut(block: &mut Block, change: &mut dyn FnMut(&mut Expr) -> bool) {
    for stmt in &mut block.stmts {
        operands_mut(stmt).into_iter().for_each(|e| expr_mut(e, change));
        blocks_mut(stmt).into_iter().for_each(|inner| exprs_mut(inner, change));
    }
}

fn expr_mut(e: &mut Expr, change: &mut dyn FnMut(&mut Expr) -> bool) {
    if change(e) {
        return;
    }
    if let ExprKind::Closure(closure) = &mut e.kind {
        exprs_mut(&mut closure.body, change);
    }
    e.operands_mut().into_iter().for_each(|operand| expr_mut(operand, change));
}
