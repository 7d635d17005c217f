//! Paths: the names of the fields in each other that lead from a variable to a part of it, the outermost first.

use crate::ir::{Expr, ExprKind, Type, VarId};

/// The variable and the path that a place is. The variable may be a reference; a field that is one leads to something else.
pub(crate) fn path_of(place: &Expr) -> Option<(VarId, Vec<String>)> {
    match &place.kind {
        ExprKind::Var(var) => Some((*var, Vec::new())),
        ExprKind::Deref(of) if matches!((&of.kind, &of.ty), (ExprKind::Var(_), Type::Ref { .. })) => {
            path_of(of)
        }
        ExprKind::Field(base, name) => {
            let (var, mut path) = path_of(base)?;
            fields(whole(&base.ty, &path))?;
            path.push(name.clone());
            Some((var, path))
        }
        _ => None,
    }
}

/// The variable and the path that an argument is, or refers to.
pub(crate) fn path_of_argument(arg: &Expr) -> Option<(VarId, Vec<String>)> {
    match &arg.kind {
        ExprKind::Ref(place) => path_of(place),
        _ => path_of(arg),
    }
}

/// The variable and the path to which an expression is a `&mut`.
pub(crate) fn lent_path(e: &Expr) -> Option<(VarId, Vec<String>)> {
    path_of_argument(e).filter(|_| matches!(e.ty, Type::Ref { mutable: true, .. }))
}

/// The type that has the fields behind a path: a variable may be a reference to it.
pub(crate) fn whole<'a>(ty: &'a Type, path: &[String]) -> &'a Type {
    if path.is_empty() { ty.peeled() } else { ty }
}

/// The names and types of the fields of a struct or a tuple.
pub(crate) fn fields(ty: &Type) -> Option<Vec<(String, Type)>> {
    match ty {
        Type::Struct(def) if def.cuda_name.is_none() => {
            Some(def.fields.iter().map(|field| (field.name.to_owned(), field.ty.clone())).collect())
        }
        Type::Tuple(types) => {
            Some(types.iter().enumerate().map(|(at, ty)| (at.to_string(), ty.clone())).collect())
        }
        _ => None,
    }
}

/// A field in fields of a value.
pub(crate) fn field_of(e: Expr, path: &[String]) -> Option<Expr> {
    path.iter().try_fold(e, |base, name| {
        let (_, ty) = fields(&base.ty)?.into_iter().find(|(own, _)| own == name)?;
        Some(Expr { kind: ExprKind::Field(base.into(), name.clone()), ty })
    })
}
