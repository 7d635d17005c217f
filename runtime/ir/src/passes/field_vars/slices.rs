//! The slices whose lengths have variables: those that are given another slice, and copies of these.

use std::collections::{BTreeSet, HashSet};

use crate::ir::{BinaryOp, ConstValue, Expr, ExprKind, Function, StmtKind, Type, VarId, VarKind, visit};
use crate::ranges::integer;

/// Slices at most, in a function.
const MOST: usize = 16;

/// The slices of a function, as places, whose lengths have variables.
pub(super) fn changing(function: &Function) -> Vec<(VarId, Expr)> {
    let is_local = |var: VarId| function.var(var).kind == VarKind::Local && is_slice(&function.var(var).ty);
    let (mut all, mut refused) = (BTreeSet::new(), HashSet::new());
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::Assign { place: Expr { kind: ExprKind::Var(var), .. }, .. } = &stmt.kind {
            all.extend(Some(*var).filter(|var| is_local(*var)));
        }
    });
    visit::exprs(&function.body, &mut |e| {
        // What has a reference to the slice's name may give it another slice.
        if let ExprKind::Ref(place) = &e.kind
            && let ExprKind::Var(var) = place.kind
        {
            refused.insert(var);
        }
    });
    loop {
        let before = all.len();
        visit::stmts(&function.body, &mut |stmt| {
            if let StmtKind::Let { var, init: Some(Expr { kind: ExprKind::Var(of), .. }) } = &stmt.kind
                && all.contains(of)
                && is_local(*var)
            {
                all.insert(*var);
            }
        });
        if all.len() == before {
            break;
        }
    }
    let kept = all.into_iter().filter(|var| !refused.contains(var));
    kept.filter_map(|var| Some((var, spelled(function, var)?))).take(MOST).collect()
}

/// A slice as a function spells it where it asks for the length; nothing if it does so in two ways.
fn spelled(function: &Function, slice: VarId) -> Option<Expr> {
    let (mut plain, mut behind) = (false, None);
    visit::exprs(&function.body, &mut |e| {
        let ExprKind::Len(of) = &e.kind else { return };
        match &of.kind {
            ExprKind::Var(var) => plain |= *var == slice,
            ExprKind::Deref(reference) if matches!(reference.kind, ExprKind::Var(var) if var == slice) => {
                behind = Some((**of).clone());
            }
            _ => {}
        }
    });
    let ty = function.var(slice).ty.clone();
    match (plain, behind) {
        (true, Some(_)) => None,
        (_, behind) => Some(behind.unwrap_or(Expr { kind: ExprKind::Var(slice), ty })),
    }
}

/// Whether a type is that of a slice, or of a reference to a shared array of one dimension.
pub(super) fn is_slice(ty: &Type) -> bool {
    ty.is_slice() || matches!(ty, Type::Ref { to, .. } if matches!(**to, Type::Shared { rank: 1, .. }))
}

/// The length of a slice, as a function spells it.
pub(super) fn len(slice: Expr) -> Expr {
    Expr { kind: ExprKind::Len(slice.into()), ty: Type::U64 }
}

/// A bound of a range as a length.
fn number(e: &Expr) -> Option<Expr> {
    match e.as_int() {
        Some(n) => (n >= 0).then(|| Expr::constant(ConstValue::Int(n), Type::U64)),
        None if e.ty == Type::U64 => Some(e.clone()),
        None => {
            integer(e)?.is_unsigned().then(|| Expr { kind: ExprKind::Cast(e.clone().into()), ty: Type::U64 })
        }
    }
}

/// The number of elements between two bounds, which were found in order, or the thread has left.
fn left(end: Expr, start: Expr) -> Expr {
    let ty = end.ty.clone();
    Expr { kind: ExprKind::Exact(Expr::binary(BinaryOp::Sub, end, start).into()), ty }
}

/// The length of what is given to a slice, where that is simple.
pub(super) fn given_len(value: &Expr) -> Option<Expr> {
    let (base, start, end) = match &value.kind {
        ExprKind::SubSlice { base, start, end, .. } => (&**base, start, end),
        ExprKind::Ref(base) => (&**base, &None, &None),
        ExprKind::Var(_) => (value, &None, &None),
        _ => return None,
    };
    // A slice may be seen as one of other elements.
    let whole = || {
        let sizes = [base, value].map(|e| e.ty.element().map(|element| element.size()));
        (sizes[0].is_some() && sizes[0] == sizes[1]).then(|| len(base.clone()))
    };
    match (start, end) {
        (None, None) => whole(),
        (None, Some(end)) => number(end),
        (Some(start), None) => Some(left(whole()?, number(start)?)),
        (Some(start), Some(end)) => Some(left(number(end)?, number(start)?)),
    }
}
