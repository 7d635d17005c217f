//! Checks that every array has elements, and those of shared memory too: CUDA has none without.

use super::ValidateError;
use crate::ir::{Extent, Function, Module, Type, VarKind, visit};

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    module.all_functions().try_for_each(of_function)
}

fn of_function(function: &Function) -> Result<(), ValidateError> {
    let at = function.at;
    for var in &function.vars {
        if let VarKind::Shared { extents, .. } = &var.kind
            && extents.iter().any(|extent: &Extent| extent.len == 0)
        {
            return Err(ValidateError::EmptyShared { name: var.name.clone(), at });
        }
        if let Some(ty) = empty(&var.ty) {
            let named = !var.name.is_empty();
            let what =
                if named { format!("`{}`", var.name) } else { format!("a value of `{}`", function.name) };
            return Err(ValidateError::EmptyArray { what, ty: ty.to_string(), at });
        }
    }
    let mut found = None;
    visit::exprs(&function.body, &mut |e| {
        if found.is_none() {
            found = empty(&e.ty).map(ToString::to_string);
        }
    });
    let what = format!("a value of `{}`", function.name);
    found.map_or(Ok(()), |ty| Err(ValidateError::EmptyArray { what, ty, at }))
}

/// An array without elements, which a type is or has as a part.
fn empty(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(_, 0) => Some(ty),
        Type::Ref { to, .. } => empty(to),
        _ => ty.parts().into_iter().find_map(empty),
    }
}
