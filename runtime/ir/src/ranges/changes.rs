//! Which variables a block changes.

use std::collections::HashSet;

use super::loads::{MEMORY, block_writes};
use crate::ir::{Block, Expr, ExprKind, RangeLoop, StmtKind, Type, VarId, VarKind, Variable, visit};

/// Variables that a block assigns, and [`MEMORY`] if it may write that.
pub(crate) fn assigned(block: &Block) -> HashSet<VarId> {
    let mut vars = assigned_variables(block);
    vars.extend(block_writes(block).then_some(MEMORY));
    vars
}

fn assigned_variables(block: &Block) -> HashSet<VarId> {
    let mut vars = HashSet::new();
    visit::stmts(block, &mut |stmt| {
        if let StmtKind::Assign { place, .. } = &stmt.kind {
            vars.extend(root(place));
        }
    });
    vars
}

/// Variables that a block declares, counters of loops among them.
pub(crate) fn declared(block: &Block) -> HashSet<VarId> {
    let mut vars = HashSet::new();
    visit::stmts(block, &mut |stmt| {
        if let StmtKind::Let { var, .. } | StmtKind::For { range: RangeLoop { var, .. }, .. } = &stmt.kind {
            vars.insert(*var);
        }
    });
    vars
}

/// Mutable variables whose address is taken, or that a closure assigns; the analysis does not track them.
pub(super) fn untracked(block: &Block, is_mutable: impl Fn(VarId) -> bool) -> HashSet<VarId> {
    let mut vars = lent(block);
    vars.retain(|var| is_mutable(*var));
    vars
}

/// Variables that a block assigns, lends, or lends a part of.
pub(crate) fn changed(block: &Block) -> HashSet<VarId> {
    let mut vars = lent(block);
    vars.extend(assigned_variables(block));
    vars
}

/// The same, and the structs whose fields have variables that are changed.
pub(super) fn changed_of(block: &Block, vars: &[Variable]) -> HashSet<VarId> {
    let mut changed = changed(block);
    let whole = |(at, var): (usize, &Variable)| match var.kind {
        VarKind::Field { of, .. } if changed.contains(&VarId(at as u32)) => Some(of),
        _ => None,
    };
    let wholes: Vec<VarId> = vars.iter().enumerate().filter_map(whole).collect();
    changed.extend(wholes);
    changed
}

/// Variables whose address is taken, or that a closure assigns.
pub(crate) fn lent(block: &Block) -> HashSet<VarId> {
    let mut vars = HashSet::new();
    visit::exprs(block, &mut |e| match &e.kind {
        ExprKind::Ref(place) => vars.extend(root(place)),
        // A slice that a variable is refers to other memory.
        ExprKind::SubSlice { base, .. } if matches!(base.ty, Type::Array(..)) => vars.extend(root(base)),
        ExprKind::Builtin { op, args, .. } if op.by_reference => {
            let place = args.first().filter(|place| !matches!(place.ty, Type::Ref { .. }));
            vars.extend(place.and_then(root));
        }
        ExprKind::Closure(closure) => vars.extend(assigned_variables(&closure.body)),
        _ => {}
    });
    vars
}

/// The variable that a place is, or is a part of; what a view or a reference leads to is part of none.
pub(crate) fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Index { base, .. } if matches!(base.ty, Type::View { .. } | Type::Ref { .. }) => None,
        ExprKind::Field(base, _) | ExprKind::Index { base, .. } => root(base),
        _ => None,
    }
}
