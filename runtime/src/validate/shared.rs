//! Static shared memory: extents and total.

use super::ValidateError;
use crate::ir::{Module, Type, VarKind};

/// Static shared memory that a kernel may declare, in bytes.
///
/// Source: CUDA C++ Programming Guide, compute capabilities; more is dynamic and opt-in.
const STATIC_LIMIT: usize = 48 * 1024;

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    let mut bytes = 0;
    for function in module.functions.iter().chain([&module.kernel]) {
        for var in &function.vars {
            let (VarKind::Shared { extents, .. }, Type::Shared { elem, .. }) = (&var.kind, &var.ty) else {
                continue;
            };
            if extents.contains(&0) {
                return Err(ValidateError::EmptyShared { name: var.name.clone(), at: function.at });
            }
            bytes += extents.iter().product::<usize>() * elem.size();
        }
    }
    if bytes > STATIC_LIMIT {
        let kernel = module.kernel.name.clone();
        return Err(ValidateError::SharedMemory { kernel, bytes, limit: STATIC_LIMIT, at: module.kernel.at });
    }
    Ok(())
}
