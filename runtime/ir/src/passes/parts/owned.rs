//! Parameters of type `&S` or `&mut S` for which all callers give variables of their own.

use std::collections::HashSet;

use super::path::fields;
use crate::ir::{Block, Expr, ExprKind, FnId, Function, Module, Type, VarId, VarKind, visit};

/// Of every function, in the order of [`Module::all_functions`], the parameters that are references to what only the thread has.
pub(super) fn parameters(module: &Module) -> Vec<Vec<VarId>> {
    let mut lent: HashSet<(FnId, usize)> = HashSet::new();
    let launched = module.launched.iter().map(|kernel| &kernel.function);
    let kernels: Vec<&Function> = launched.chain([&module.kernel]).collect();
    for kernel in &kernels {
        note_lent(&kernel.body, kernel, &[], &mut lent);
    }
    // Callers come after what they call.
    let mut of_functions = Vec::new();
    for (at, function) in module.functions.iter().enumerate().rev() {
        let is_owned = |position: usize| !lent.contains(&(FnId(at as u32), position));
        let params = function.params.iter().enumerate();
        let owned: Vec<VarId> = params
            .filter(|(at, param)| is_owned(*at) && is_reference(function, **param))
            .map(|(_, p)| *p)
            .collect();
        note_lent(&function.body, function, &owned, &mut lent);
        of_functions.push(owned);
    }
    of_functions.reverse();
    of_functions.extend(kernels.iter().map(|_| Vec::new()));
    of_functions
}

/// Whether a parameter is a reference to a struct or a tuple.
fn is_reference(function: &Function, param: VarId) -> bool {
    matches!(&function.var(param).ty, Type::Ref { to, .. } if fields(to).is_some())
}

/// Notes the parameters for which a body gives what others may see.
fn note_lent(body: &Block, function: &Function, owned: &[VarId], lent: &mut HashSet<(FnId, usize)>) {
    visit::exprs(body, &mut |e| {
        let ExprKind::Call { function: callee, args, .. } = &e.kind else { return };
        let others = args.iter().enumerate().filter(|(_, arg)| !is_owned(arg, function, owned));
        lent.extend(others.map(|(at, _)| (*callee, at)));
    });
}

/// Whether a reference is one to a variable of the function, or to one of its callers.
fn is_owned(reference: &Expr, function: &Function, owned: &[VarId]) -> bool {
    match &reference.kind {
        ExprKind::Var(var) => owned.contains(var),
        ExprKind::Ref(place) => is_owned_place(place, function, owned),
        _ => false,
    }
}

fn is_owned_place(place: &Expr, function: &Function, owned: &[VarId]) -> bool {
    match &place.kind {
        ExprKind::Var(var) => {
            matches!(function.var(*var).kind, VarKind::Local | VarKind::Param)
                && !matches!(place.ty, Type::Ref { .. } | Type::Ptr { .. })
        }
        ExprKind::Deref(of) => is_owned(of, function, owned),
        ExprKind::Field(base, _) if matches!(base.ty, Type::Ref { .. }) => is_owned(base, function, owned),
        ExprKind::Field(base, _) => is_owned_place(base, function, owned),
        ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(..)) => {
            is_owned_place(base, function, owned)
        }
        _ => false,
    }
}
