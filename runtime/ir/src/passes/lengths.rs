//! Slices that are indexed alike: where a launch shows that one of them has no more elements than another, the check of its index is
//! the other one's, too.

use crate::ir::{Condition, Expr, ExprKind, Function, Module, Proof, Quantity, VarId, visit};

/// Adds to a module's conditions the comparisons of lengths that spare checks, as long as there is room for them.
pub(super) fn compare_lengths(module: &mut Module, most: usize) {
    let (mut checked, mut wanted): (Vec<(VarId, Expr)>, Vec<Condition>) = (Vec::new(), Vec::new());
    visit::exprs(&module.kernel.body, &mut |e| {
        let ExprKind::Index { base, index, proof: Proof::Open, .. } = &e.kind else { return };
        let ExprKind::Var(own) = base.kind else { return };
        for (slice, _) in checked.iter().filter(|(slice, by)| *slice != own && is_alike(by, index)) {
            wanted.extend(no_longer(&module.kernel, *slice, own));
        }
        checked.push((own, (**index).clone()));
    });
    for condition in wanted {
        if module.conditions.len() < most && !module.conditions.contains(&condition) {
            module.conditions.push(condition);
        }
    }
}

/// The condition that one slice parameter of a kernel has no more elements than another.
pub(crate) fn no_longer(kernel: &Function, one: VarId, other: VarId) -> Option<Condition> {
    let len = |var: VarId| {
        let position = kernel.params.iter().position(|param| *param == var)?;
        let of = kernel.var(var);
        (of.ty.is_slice() && !of.mutable).then(|| Quantity::Len(position, of.name.as_str().into()))
    };
    Some(Condition { below: len(one)?.plus(-1), limit: len(other)? })
}

/// Whether two indices are written alike: those that are read from memory may still differ.
fn is_alike(a: &Expr, b: &Expr) -> bool {
    let is_read = matches!((&a.kind, &b.kind), (ExprKind::Index { .. }, ExprKind::Index { .. }));
    let (of_a, of_b) = (a.operands(), b.operands());
    let all = of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(|(a, b)| is_alike(a, b));
    (is_read || a.is_same_operation(b)) && all
}
