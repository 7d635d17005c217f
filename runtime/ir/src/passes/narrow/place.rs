//! The variables that may be narrowed: integers of a kernel's own from which indices or loops are computed.

use std::collections::HashSet;

use crate::ir::{Block, Expr, ExprKind, Function, Scalar, StmtKind, VarId, VarKind, visit};
use crate::ranges::{declared, root};

/// Local integers from which an index or a loop's end is computed, whose address is not taken, and which no closure sees.
pub(super) fn candidates(kernel: &Function, body: &Block) -> HashSet<VarId> {
    let refused = refused(body);
    let is_wide = |scalar: Scalar| matches!(scalar, Scalar::U32 | Scalar::U64 | Scalar::I64);
    let is_small = |scalar: Scalar| matches!(scalar, Scalar::U8 | Scalar::U16);
    let (counting, chosen) = (counting(body), chosen(body));
    let mut all: HashSet<VarId> = counting.union(&chosen).copied().collect();
    all.retain(|var| {
        let variable = kernel.var(*var);
        let fits =
            |scalar| is_wide(scalar) && counting.contains(var) || is_small(scalar) && chosen.contains(var);
        variable.kind == VarKind::Local && variable.ty.scalar().is_some_and(fits) && !refused.contains(var)
    });
    all
}

/// Variables to which a loop assigns the lesser or the greater of two numbers. GPUs compare `int`s faster than numbers of fewer bits.
fn chosen(body: &Block) -> HashSet<VarId> {
    let mut all = HashSet::new();
    visit::stmts(body, &mut |stmt| {
        let (StmtKind::For { body, .. } | StmtKind::While { body, .. }) = &stmt.kind else { return };
        visit::stmts(body, &mut |stmt| {
            if let StmtKind::Assign { place, op: None, value } = &stmt.kind
                && matches!(&value.kind, ExprKind::Builtin { op, .. } if op.facts.result.is_choice())
            {
                all.extend(root(place));
            }
        });
    });
    all
}

/// Variables that stay as they are.
fn refused(body: &Block) -> HashSet<VarId> {
    let mut refused = HashSet::new();
    visit::exprs(body, &mut |e| match &e.kind {
        ExprKind::Ref(place) => refused.extend(root(place)),
        ExprKind::Closure(closure) => {
            refused.extend(&closure.params);
            refused.extend(declared(&closure.body));
            visit::exprs(&closure.body, &mut |e| refused.extend(root(e)));
        }
        ExprKind::CallClosure { closure, .. } => refused.extend([*closure]),
        _ => {}
    });
    visit::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, init: None } => refused.extend([*var]),
        StmtKind::For { range, .. } => {
            // A counter that the body assigns is a variable beside it.
            let mut own = false;
            visit::stmts(body, &mut |stmt| {
                own |= matches!(&stmt.kind, StmtKind::Assign { place, .. } if root(place) == Some(range.var));
            });
            refused.extend(own.then_some(range.var));
        }
        _ => {}
    });
    refused
}

/// Variables that indices and ranges of loops are computed of, and all that they are computed of.
fn counting(body: &Block) -> HashSet<VarId> {
    let mut all = HashSet::new();
    visit::exprs(body, &mut |e| {
        if let ExprKind::Index { index, .. } = &e.kind {
            all.extend(named(index));
        }
    });
    visit::stmts(body, &mut |stmt| {
        if let StmtKind::For { range, .. } = &stmt.kind {
            all.insert(range.var);
            [Some(&range.start), Some(&range.end), range.step.as_ref()]
                .into_iter()
                .flatten()
                .for_each(|part| all.extend(named(part)));
        }
    });
    loop {
        let before = all.len();
        visit::stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Let { var, init: Some(value) } if all.contains(var) => all.extend(named(value)),
            StmtKind::Assign { place, value, .. } if root(place).is_some_and(|var| all.contains(&var)) => {
                all.extend(named(value));
            }
            // The other side of a comparison with such a variable is compared in the variable's type.
            StmtKind::While { cond, .. } | StmtKind::If { cond, .. } => visit::expr(cond, &mut |e| {
                if matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_comparison()) {
                    let own = named(e);
                    if own.iter().any(|var| all.contains(var)) {
                        all.extend(own);
                    }
                }
            }),
            _ => {}
        });
        if all.len() == before {
            return all;
        }
    }
}

/// The variables in an expression, outside of what it loads.
fn named(e: &Expr) -> Vec<VarId> {
    match &e.kind {
        ExprKind::Var(var) => vec![*var],
        ExprKind::Index { .. } => Vec::new(),
        _ => e.operands().into_iter().flat_map(named).collect(),
    }
}
