//! The structs and tuples whose fields have variables.

use std::collections::{BTreeMap, HashSet};

use super::leaves::leaves;
use super::lends::{Lends, names};
use crate::ir::{Expr, ExprKind, Function, StmtKind, Type, VarId, VarKind, visit};
use crate::ranges::{fields, path_of};

/// Structs and tuples at most, in a function.
const MOST: usize = 64;

/// The structs and tuples of a function, as places, whose fields it names and which it lends only to functions.
pub(super) fn candidates(function: &Function, private: &[VarId]) -> Vec<(VarId, Expr)> {
    let is_candidate = |var: VarId| match function.var(var) {
        own if private.contains(&var) => matches!(own.ty, Type::Ref { .. }),
        own => own.kind == VarKind::Local && fields(&own.ty).is_some(),
    };
    let (mut named, mut refused) = named(function, &is_candidate);
    add_given(function, &is_candidate, &mut named);
    while add_copied(function, &is_candidate, &mut named) {}
    visit::stmts(&function.body, &mut |stmt| {
        let lends = Lends::of(stmt);
        // A fact from the same statement may predate the call.
        let times = |var: &VarId| lends.to_calls.iter().filter(|own| *own == var).count();
        refused.extend(lends.to_calls.iter().filter(|var| names(stmt, **var) > times(var)));
        refused.extend(lends.kept);
        // Behind a loop's head, no statement stands between the call and the body.
        if matches!(stmt.kind, StmtKind::While { .. } | StmtKind::For { .. }) {
            refused.extend(lends.to_calls);
        }
    });
    named.retain(|var, place| !refused.contains(var) && !leaves(place).is_empty());
    named.into_iter().take(MOST).collect()
}

/// The variables whose fields a function names, as the function spells them, and those that it spells in two ways.
fn named(
    function: &Function,
    is_candidate: &dyn Fn(VarId) -> bool,
) -> (BTreeMap<VarId, Expr>, HashSet<VarId>) {
    let (mut named, mut refused) = (BTreeMap::<VarId, Expr>::new(), HashSet::new());
    visit::exprs(&function.body, &mut |e| {
        if let ExprKind::Field(base, _) = &e.kind
            && matches!(base.kind, ExprKind::Var(_) | ExprKind::Deref(_))
            && let Some((var, _)) = path_of(e)
            && is_candidate(var)
        {
            let known = named.entry(var).or_insert_with(|| (**base).clone());
            // Afterwards, the field must be spelled as before.
            if matches!(known.kind, ExprKind::Deref(_)) != matches!(base.kind, ExprKind::Deref(_))
                || known.ty != base.ty
            {
                refused.insert(var);
            }
        }
    });
    (named, refused)
}

/// Adds the variables that a function gives to others, or returns: their fields may be named there.
fn add_given(function: &Function, is_candidate: &dyn Fn(VarId) -> bool, named: &mut BTreeMap<VarId, Expr>) {
    let mut add = |e: &Expr| {
        if let Some(base) = base_of(e)
            && let ExprKind::Var(var) = base.kind
            && is_candidate(var)
        {
            named.entry(var).or_insert_with(|| base.clone());
        }
    };
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::Return(Some(e)) = &stmt.kind {
            add(e);
        }
    });
    visit::exprs(&function.body, &mut |e| {
        if let ExprKind::Call { args, .. } = &e.kind {
            args.iter().for_each(&mut add);
        }
    });
}

/// The variable of which something is a part, or to which, or to a part of which, it is a reference.
fn base_of(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Var(_) => Some(e),
        ExprKind::Ref(place) => base_of(place),
        ExprKind::Deref(base) | ExprKind::Field(base, _) => base_of(base),
        _ => None,
    }
}

/// Adds variables whose values are given to those that are named; whether there was one.
fn add_copied(
    function: &Function,
    is_candidate: &dyn Fn(VarId) -> bool,
    named: &mut BTreeMap<VarId, Expr>,
) -> bool {
    let before = named.len();
    visit::stmts(&function.body, &mut |stmt| {
        let (to, value) = match &stmt.kind {
            StmtKind::Let { var, init: Some(init) } => (Some(*var), init),
            StmtKind::Assign { place, value, .. } => (path_of(place).map(|(var, _)| var), value),
            _ => return,
        };
        if !to.is_some_and(|to| named.contains_key(&to)) {
            return;
        }
        visit::expr(value, &mut |e| {
            if let ExprKind::Var(var) = e.kind
                && fields(&e.ty).is_some()
                && is_candidate(var)
            {
                named.entry(var).or_insert_with(|| e.clone());
            }
        });
    });
    named.len() > before
}
