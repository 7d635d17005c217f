//! Shared memory that a kernel declares: the totals.

use super::ValidateError;
use crate::ir::{DeclaredShared, Module, TooManyInstances};
use crate::limits::{MOST_SHARED, STATIC_SHARED};

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
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
