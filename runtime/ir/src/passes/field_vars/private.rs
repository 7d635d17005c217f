//! Parameters of type `&S` or `&mut S` for which all callers give variables of their own.

use std::collections::HashSet;

use crate::ir::{Block, Expr, ExprKind, FnId, Function, Module, Type, VarId, VarKind, visit};
use crate::ranges::fields;

/// Of every function, in the order of [`Module::all_functions`], the parameters that are references to what only the thread has.
pub(super) fn references(module: &Module) -> Vec<Vec<VarId>> {
    let mut lent: HashSet<(FnId, usize)> = HashSet::new();
    for (kernel, _) in module.kernels() {
        note_lent(&kernel.body, kernel, &[], &mut lent);
    }
    // Callers come after what they call.
    let mut of_functions = Vec::new();
    for (at, function) in module.functions.iter().enumerate().rev() {
        let is_private = |position: usize| !lent.contains(&(FnId(at as u32), position));
        let params = function.params.iter().enumerate();
        let private: Vec<VarId> = params
            .filter(|(at, param)| is_private(*at) && is_reference(function, **param))
            .map(|(_, p)| *p)
            .collect();
        note_lent(&function.body, function, &private, &mut lent);
        of_functions.push(private);
    }
    of_functions.reverse();
    // No kernel has references to variables of a thread.
    of_functions.extend(module.kernels().map(|_| Vec::new()));
    of_functions
}

/// Whether a parameter is a reference to a struct or a tuple.
fn is_reference(function: &Function, param: VarId) -> bool {
    matches!(&function.var(param).ty, Type::Ref { to, .. } if fields(to).is_some())
}

/// Notes the parameters for which a body gives what others may see.
fn note_lent(body: &Block, function: &Function, private: &[VarId], lent: &mut HashSet<(FnId, usize)>) {
    visit::exprs(body, &mut |e| {
        let ExprKind::Call { function: callee, args, .. } = &e.kind else { return };
        let others = args.iter().enumerate().filter(|(_, arg)| !is_private(arg, function, private));
        lent.extend(others.map(|(at, _)| (*callee, at)));
    });
}

/// Whether a reference is one to a variable of the function, or to one of its callers.
fn is_private(reference: &Expr, function: &Function, private: &[VarId]) -> bool {
    match &reference.kind {
        ExprKind::Var(var) => private.contains(var),
        ExprKind::Ref(place) => is_private_place(place, function, private),
        _ => false,
    }
}

fn is_private_place(place: &Expr, function: &Function, private: &[VarId]) -> bool {
    match &place.kind {
        ExprKind::Var(var) => {
            matches!(function.var(*var).kind, VarKind::Local | VarKind::Param)
                && !matches!(place.ty, Type::Ref { .. } | Type::Ptr { .. })
        }
        ExprKind::Deref(of) => is_private(of, function, private),
        ExprKind::Field(base, _) if matches!(base.ty, Type::Ref { .. }) => {
            is_private(base, function, private)
        }
        ExprKind::Field(base, _) => is_private_place(base, function, private),
        ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(..)) => {
            is_private_place(base, function, private)
        }
        _ => false,
    }
}
