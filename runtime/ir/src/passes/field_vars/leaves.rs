//! The fields that have variables: those whose values the analysis tracks.

use super::slices::{is_slice, len};
use crate::ir::{Expr, ExprKind, Scalar, Type};
use crate::ranges::{LEN, fields, held_place, whole};

/// Fields of a variable at most: a struct with more is a table rather than a state.
const MOST: usize = 16;

/// The fields of a struct or a tuple that have variables, also in each other, with their paths: integers, conditions, arrays of integers,
/// and enums that hold one. Of a slice, its length.
pub(super) fn leaves(place: &Expr) -> Vec<(Vec<String>, Expr)> {
    if is_slice(&place.ty) {
        return vec![(vec![LEN.to_owned()], len(place.clone()))];
    }
    let mut all = Vec::new();
    collect(place.clone(), &[], &mut all);
    if all.len() > MOST { Vec::new() } else { all }
}

fn collect(place: Expr, path: &[String], all: &mut Vec<(Vec<String>, Expr)>) {
    let Some(fields) = fields(whole(&place.ty, path)) else {
        if is_tracked(&place) {
            all.push((path.to_vec(), place));
        }
        return;
    };
    for (name, ty) in fields {
        let path = [path, std::slice::from_ref(&name)].concat();
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
