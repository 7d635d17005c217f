//! Static shared memory: extents and total.

use super::ValidateError;
use crate::ir::{Extent, Function, Module, Type, VarKind};

/// Static shared memory that a kernel may declare, in bytes.
///
/// Source: CUDA C++ Programming Guide, compute capabilities; more is dynamic and opt-in.
const STATIC_LIMIT: usize = crate::limits::STATIC_SHARED;

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    let add = |all: usize, function| bytes(function).map(|own| all.saturating_add(own));
    let functions = module.functions.iter().try_fold(0, add)?;
    for (kernel, _) in module.kernels() {
        let bytes = bytes(kernel)?.saturating_add(functions);
        if bytes > STATIC_LIMIT {
            let (kernel, at) = (kernel.name.clone(), kernel.at);
            return Err(ValidateError::SharedMemory { kernel, bytes, limit: STATIC_LIMIT, at });
        }
    }
    Ok(())
}

/// What one function declares.
fn bytes(function: &Function) -> Result<usize, ValidateError> {
    let mut bytes = 0usize;
    for var in &function.vars {
        let (VarKind::Shared { extents, .. }, Type::Shared { elem, .. }) = (&var.kind, &var.ty) else {
            continue;
        };
        if extents.iter().any(|extent| extent.len == 0) {
            return Err(ValidateError::EmptyShared { name: var.name.clone(), at: function.at });
        }
        bytes = bytes.saturating_add(Extent::elements(extents).saturating_mul(elem.size()));
    }
    Ok(bytes)
}
