//! Paths: the fields in each other that lead from a variable to one of its parts.

use std::fmt;

use crate::ir::{Expr, ExprKind, Scalar, Type, VarId};
use crate::ranges::held_place;

/// Parts of a variable at most: a struct with more fields is a table rather than a state.
const MOST: usize = 16;

/// The names of fields, the outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub Vec<String>);

impl Path {
    /// What is left of the path behind another one.
    pub fn behind(&self, prefix: &Path) -> Option<&[String]> {
        self.0.strip_prefix(prefix.0.as_slice())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The variable and the fields that a place is.
pub(super) fn path_of(place: &Expr) -> Option<(VarId, Path)> {
    match &place.kind {
        ExprKind::Var(var) => Some((*var, Path::default())),
        ExprKind::Deref(of) if matches!(of.ty, Type::Ref { .. }) && matches!(of.kind, ExprKind::Var(_)) => {
            path_of(of)
        }
        ExprKind::Field(base, name) => {
            let (var, mut path) = path_of(base)?;
            // Only the variable may be a reference: what a field refers to is part of something else.
            fields(if path.0.is_empty() { base.ty.peeled() } else { &base.ty })?;
            path.0.push(name.clone());
            Some((var, path))
        }
        _ => None,
    }
}

/// The names and types of the fields of a struct or a tuple.
pub(super) fn fields(ty: &Type) -> Option<Vec<(String, Type)>> {
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

/// The places in a struct or a tuple that have variables: integers, conditions, arrays of integers, and enums that hold one.
pub(super) fn leaves(place: &Expr) -> Vec<(Path, Expr)> {
    let mut all = Vec::new();
    collect(place.clone(), &Path::default(), &mut all);
    if all.len() > MOST { Vec::new() } else { all }
}

fn collect(place: Expr, path: &Path, all: &mut Vec<(Path, Expr)>) {
    let Some(fields) = fields(if path.0.is_empty() { place.ty.peeled() } else { &place.ty }) else {
        if is_tracked(&place) {
            all.push((path.clone(), place));
        }
        return;
    };
    for (name, ty) in fields {
        let path = Path([path.0.as_slice(), std::slice::from_ref(&name)].concat());
        collect(Expr { kind: ExprKind::Field(place.clone().into(), name), ty }, &path, all);
    }
}

/// Whether the analysis tracks values of this type.
fn is_tracked(place: &Expr) -> bool {
    match &place.ty {
        Type::Scalar(scalar) => scalar.is_int() || *scalar == Scalar::Bool,
        Type::Array(element, _) => matches!(&**element, Type::Scalar(scalar) if scalar.is_int()),
        Type::Enum(_) => held_place(place).is_some(),
        _ => false,
    }
}
