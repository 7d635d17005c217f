//! Bounds-check elision: marks the indices that a dominating guard or a loop bound proves.
//!
//! A fact is "variable `i` is below the length of variable `x`" or "`i` is at most `n`", of an
//! immutable `i`. It holds in the branch that its guard dominates, and after a guard whose other
//! branch leaves.

use crate::ir::{BinaryOp, Block, Expr, ExprKind, Function, Stmt, StmtKind, VarId, VarKind, Variable};

/// Something known of an immutable variable.
#[derive(Clone, Debug, PartialEq)]
enum Fact {
    /// `i < x.len()`
    BelowLen(VarId, VarId),
    /// `i <= n`, and `i` is not negative.
    AtMost(VarId, i128),
}

/// Marks what can be proven in a function.
pub(super) fn function(function: &mut Function) {
    let vars = function.vars.clone();
    block(&mut function.body, &vars, &mut Vec::new());
}

fn block(block: &mut Block, vars: &[Variable], facts: &mut Vec<Fact>) {
    let known = facts.len();
    for stmt in &mut block.stmts {
        statement(stmt, vars, facts);
    }
    facts.truncate(known);
}

fn statement(stmt: &mut Stmt, vars: &[Variable], facts: &mut Vec<Fact>) {
    let known = facts.len();
    match &mut stmt.kind {
        StmtKind::If { cond, then, otherwise } => {
            mark(cond, vars, facts);
            facts.extend(implied(cond, true, vars));
            block(then, vars, facts);
            facts.truncate(known);
            facts.extend(implied(cond, false, vars));
            block(otherwise, vars, facts);
            facts.truncate(known);
            if leaves(then) {
                facts.extend(implied(cond, false, vars));
            } else if leaves(otherwise) {
                facts.extend(implied(cond, true, vars));
            }
        }
        StmtKind::While { cond, body, .. } => {
            mark(cond, vars, facts);
            facts.extend(implied(cond, true, vars));
            block(body, vars, facts);
            facts.truncate(known);
        }
        StmtKind::For { range, body, .. } => {
            for e in [Some(&mut range.start), Some(&mut range.end), range.step.as_mut()].into_iter().flatten()
            {
                mark(e, vars, facts);
            }
            if !vars[range.var.0 as usize].mutable && !range.inclusive {
                facts.extend(below(range.var, &range.end, vars));
                if let (Some(start), Some(end)) = (range.start.as_int(), range.end.as_int())
                    && start >= 0
                {
                    facts.push(Fact::AtMost(range.var, end - 1));
                }
            }
            block(body, vars, facts);
            facts.truncate(known);
        }
        StmtKind::Block(body) => block(body, vars, facts),
        StmtKind::Let { init: Some(e), .. } | StmtKind::Expr(e) | StmtKind::Assert { cond: e, .. } => {
            mark(e, vars, facts)
        }
        StmtKind::Return(Some(e)) => mark(e, vars, facts),
        StmtKind::Assign { place, value, .. } => {
            mark(value, vars, facts);
            mark(place, vars, facts);
        }
        StmtKind::Print { args, .. } => args.iter_mut().for_each(|e| mark(e, vars, facts)),
        StmtKind::Launch(launch) => launch.operands_mut().into_iter().for_each(|e| mark(e, vars, facts)),
        StmtKind::Let { init: None, .. }
        | StmtKind::Shared(_)
        | StmtKind::DynamicShared(_)
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Return(None) => {}
    }
}

/// Whether control never passes the end of a block.
fn leaves(block: &Block) -> bool {
    matches!(
        block.stmts.last().map(|s| &s.kind),
        Some(StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_))
    )
}

/// What a condition tells when it is `outcome`.
fn implied(cond: &Expr, outcome: bool, vars: &[Variable]) -> Vec<Fact> {
    let ExprKind::Binary(op, a, b) = &cond.kind else { return Vec::new() };
    match (op, outcome) {
        (BinaryOp::And, true) | (BinaryOp::Or, false) => {
            let mut facts = implied(a, outcome, vars);
            facts.extend(implied(b, outcome, vars));
            facts
        }
        (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => less(a, b, vars),
        (BinaryOp::Gt, true) | (BinaryOp::Le, false) => less(b, a, vars),
        _ => Vec::new(),
    }
}

/// Facts of `a < b`.
fn less(a: &Expr, b: &Expr, vars: &[Variable]) -> Vec<Fact> {
    immutable(a, vars).map_or_else(Vec::new, |var| below(var, b, vars))
}

/// Facts of `var < bound`, for a variable that is never negative.
fn below(var: VarId, bound: &Expr, vars: &[Variable]) -> Vec<Fact> {
    let unsigned = vars[var.0 as usize].ty.scalar().is_some_and(crate::ir::Scalar::is_unsigned);
    match &bound.kind {
        ExprKind::Len(of) if unsigned => match of.kind {
            ExprKind::Var(of) if !vars[of.0 as usize].mutable => vec![Fact::BelowLen(var, of)],
            _ => Vec::new(),
        },
        ExprKind::Const(_) if unsigned => {
            bound.as_int().map_or_else(Vec::new, |n| vec![Fact::AtMost(var, n - 1)])
        }
        _ => Vec::new(),
    }
}

/// The immutable variable that an expression is, looking through widening casts.
fn immutable(e: &Expr, vars: &[Variable]) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(id) if !vars[id.0 as usize].mutable => Some(*id),
        ExprKind::Cast(inner) => {
            let (from, to) = (inner.ty.scalar()?, e.ty.scalar()?);
            if from.is_unsigned() && to.is_int() && from.bits() <= to.bits() {
                immutable(inner, vars)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Marks the indices of an expression that the facts prove.
fn mark(e: &mut Expr, vars: &[Variable], facts: &mut Vec<Fact>) {
    if let ExprKind::Select(cond, a, b) = &mut e.kind {
        let known = facts.len();
        mark(cond, vars, facts);
        for (branch, outcome) in [(a, true), (b, false)] {
            facts.extend(implied(cond, outcome, vars));
            mark(branch, vars, facts);
            facts.truncate(known);
        }
        return;
    }
    if let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = &mut e.kind {
        let known = facts.len();
        mark(a, vars, facts);
        facts.extend(implied(a, *op == BinaryOp::And, vars));
        mark(b, vars, facts);
        facts.truncate(known);
        return;
    }
    if let ExprKind::Closure(closure) = &mut e.kind {
        block(&mut closure.body, vars, &mut Vec::new());
    }
    for operand in e.operands_mut() {
        mark(operand, vars, facts);
    }
    if let ExprKind::Index { base, index, proven, .. } = &mut e.kind {
        *proven = *proven || is_proven(base, index, vars, facts);
    }
}

fn is_proven(base: &Expr, index: &Expr, vars: &[Variable], facts: &[Fact]) -> bool {
    let extent = fixed_extent(base, vars);
    if let (Some(extent), Some(n)) = (extent, index.as_int()) {
        return (0..extent).contains(&n);
    }
    let Some(var) = immutable(index, vars) else { return false };
    facts.iter().any(|fact| match fact {
        Fact::BelowLen(i, of) => *i == var && matches!(base.kind, ExprKind::Var(b) if b == *of),
        Fact::AtMost(i, most) => *i == var && extent.is_some_and(|extent| *most < extent),
    })
}

/// The extent of an array or of a (row of a) shared array, where it is a constant.
fn fixed_extent(base: &Expr, vars: &[Variable]) -> Option<i128> {
    if let crate::ir::Type::Array(_, n) = &base.ty {
        return Some(*n as i128);
    }
    let mut depth = 0;
    let mut root = base;
    while let ExprKind::Index { base, .. } = &root.kind {
        depth += 1;
        root = base;
    }
    let ExprKind::Var(id) = root.kind else { return None };
    match &vars[id.0 as usize].kind {
        VarKind::Shared { extents, .. } => extents.get(depth).map(|n| *n as i128),
        _ => None,
    }
}
