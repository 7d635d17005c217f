//! Shared memory that a kernel declares: extents and totals.

use super::ValidateError;
use crate::ir::{DeclaredShared, Extent, Function, Module, TooManyInstances, VarKind};
use crate::limits::{MOST_SHARED, STATIC_SHARED};

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    module.all_functions().try_for_each(has_elements)?;
    for (function, _) in module.kernels() {
        let (kernel, at) = (function.name.clone(), function.at);
        match module.declared_shared(function) {
            Ok(DeclaredShared { bytes, .. }) if bytes > STATIC_SHARED => {
                return Err(ValidateError::StaticShared { kernel, bytes, limit: STATIC_SHARED, at });
            }
            Ok(DeclaredShared { bytes, large_bytes, .. })
                if large_bytes.saturating_add(bytes) > MOST_SHARED =>
            {
                let bytes = large_bytes.saturating_add(bytes);
                return Err(ValidateError::SharedMemory { kernel, bytes, limit: MOST_SHARED, at });
            }
            Ok(_) => {}
            Err(TooManyInstances { limit }) => return Err(ValidateError::Instances { kernel, limit, at }),
        }
    }
    Ok(())
}

/// Whether every array of a function has elements.
fn has_elements(function: &Function) -> Result<(), ValidateError> {
    for var in &function.vars {
        if let VarKind::Shared { extents, .. } = &var.kind
            && extents.iter().any(|extent: &Extent| extent.len == 0)
        {
            return Err(ValidateError::EmptyShared { name: var.name.clone(), at: function.at });
        }
    }
    Ok(())
}
