//! Static shared memory: extents and total.

use super::ValidateError;
use crate::ir::{Extent, Function, Module, StaticShared, TooManyInstances, VarKind};

/// Static shared memory that a kernel may declare, in bytes.
///
/// Source: CUDA C++ Programming Guide, compute capabilities; more is dynamic and opt-in.
const STATIC_LIMIT: usize = crate::limits::STATIC_SHARED;

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    module.all_functions().try_for_each(has_elements)?;
    for (function, _) in module.kernels() {
        let (kernel, at) = (function.name.clone(), function.at);
        match module.static_shared(function) {
            Ok(StaticShared { bytes, .. }) if bytes <= STATIC_LIMIT => {}
            Ok(StaticShared { bytes, .. }) => {
                return Err(ValidateError::SharedMemory { kernel, bytes, limit: STATIC_LIMIT, at });
            }
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
