//! Checks that every expression whose length is asked for has one; printers rely on that.
//!
//! A length belongs to an array, a vector or a view, to a shared array or a part of one, and to a slice that is a
//! variable, a part of another slice, or a part of a value. A reference to a shared array of one dimension is a slice as a part of a
//! value. The recorder binds every other slice to a variable.

use super::ValidateError;
use crate::ir::{Expr, ExprKind, Function, Module, Proof, Type, visit};

/// Checks every expression of a module.
pub fn check(module: &Module) -> Result<(), ValidateError> {
    module.all_functions().try_for_each(of_function)
}

fn of_function(function: &Function) -> Result<(), ValidateError> {
    let mut lacking: Option<&Type> = None;
    visit::exprs(&function.body, &mut |e| {
        let of = match &e.kind {
            ExprKind::Len(of) => of,
            // An index that is proven is compared with nothing.
            ExprKind::Index { base, proof: Proof::Open, .. } => base,
            _ => return,
        };
        if !has_length(of) && lacking.is_none() {
            lacking = Some(&of.ty);
        }
    });
    match lacking {
        None => Ok(()),
        Some(ty) => {
            let (function, of, at) = (function.name.clone(), ty.to_string(), function.at);
            Err(ValidateError::Length { function, of, at })
        }
    }
}

fn has_length(of: &Expr) -> bool {
    match &of.ty {
        Type::Array(..) | Type::Vector(..) | Type::View { .. } => true,
        Type::Shared { .. } => is_shared(of),
        Type::Ref { to, .. } => match (&**to, &of.kind) {
            (Type::Slice(_) | Type::Shared { .. }, ExprKind::Var(_)) | (Type::View { .. }, _) => true,
            (_, ExprKind::Ref(place)) => has_length(place),
            (Type::Slice(_), ExprKind::SubSlice { .. }) => true,
            (Type::Slice(_) | Type::Shared { rank: 1, .. }, ExprKind::Field(..) | ExprKind::Index { .. }) => {
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a place is a shared array, or a row or plane of one.
fn is_shared(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Index { base, .. } => is_shared(base),
        ExprKind::Deref(_) | ExprKind::Var(_) => true,
        _ => false,
    }
}
