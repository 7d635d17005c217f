//! Parameters that are slices, or views of one dimension.

use crate::ir::{Expr, ExprKind, Function, Type, VarId, VarKind, Variable};

/// The length of a slice that is a parameter.
pub(super) fn length(kernel: &Function, slice: VarId) -> Expr {
    let of = Expr { kind: ExprKind::Var(slice), ty: kernel.var(slice).ty.clone() };
    Expr { kind: ExprKind::Len(of.into()), ty: Type::U64 }
}

/// Whether a type is a slice or a view of one dimension; and whether its elements can be written.
fn slice_type(ty: &Type) -> Option<bool> {
    match ty {
        Type::Ref { to, mutable } if matches!(**to, Type::Slice(_)) => Some(*mutable),
        Type::View { mutable, rank: 1, .. } => Some(*mutable),
        _ => None,
    }
}

/// The parameter that is indexed, if it is a slice, and always the same one.
pub(super) fn slice_of(kernel: &Function, base: &Expr) -> Option<VarId> {
    match &base.kind {
        ExprKind::Var(var) if is_slice(kernel, *var) => Some(*var),
        ExprKind::Deref(inner) | ExprKind::Ref(inner) => slice_of(kernel, inner),
        _ => None,
    }
}

/// Whether a variable is a parameter that is one slice all along: what is written is assigned in no
/// kernel that is coarsened.
pub(super) fn is_slice(kernel: &Function, var: VarId) -> bool {
    let Variable { ty, kind, mutable, .. } = kernel.var(var);
    *kind == VarKind::Param && slice_type(ty).is_some_and(|written| written || !mutable)
}

/// Whether a parameter is a slice that may be written.
pub(super) fn is_written(kernel: &Function, var: VarId) -> bool {
    let var = kernel.var(var);
    var.kind == VarKind::Param && slice_type(&var.ty) == Some(true)
}
