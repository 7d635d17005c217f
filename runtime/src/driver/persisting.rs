//! The part of the L2 cache that is set aside for persisting accesses.

use cudarc::driver::sys;

use super::{DriverError, Gpu};

impl Gpu {
    /// Sets this number of bytes of the L2 cache aside; the driver may round up. Returns the number that it set.
    ///
    /// # Errors
    /// [`DriverError::PersistingL2`] above the device's limit, or a driver error.
    ///
    /// Source: CUDA Driver API, `CU_LIMIT_PERSISTING_L2_CACHE_SIZE`.
    pub fn set_persisting_l2(&self, bytes: usize) -> Result<usize, DriverError> {
        let limit = self.limits.persisting_l2;
        if bytes > limit {
            return Err(DriverError::PersistingL2 { bytes, limit });
        }
        self.bind()?;
        // SAFETY: a context is bound.
        unsafe { sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes) }
            .result()
            .map_err(|e| DriverError::cuda("cuCtxSetLimit", &e))?;
        self.persisting_l2()
    }

    /// Bytes of the L2 cache that are set aside.
    ///
    /// # Errors
    /// A driver error.
    pub fn persisting_l2(&self) -> Result<usize, DriverError> {
        self.bind()?;
        let mut bytes = 0;
        // SAFETY: a context is bound, and `bytes` is writable.
        unsafe { sys::cuCtxGetLimit(&raw mut bytes, sys::CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE) }
            .result()
            .map_err(|e| DriverError::cuda("cuCtxGetLimit", &e))?;
        Ok(bytes)
    }

    /// Makes every persisting line of the L2 cache a normal one.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuCtxResetPersistingL2Cache`.
    pub fn reset_persisting_l2(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: a context is bound.
        unsafe { sys::cuCtxResetPersistingL2Cache() }
            .result()
            .map_err(|e| DriverError::cuda("cuCtxResetPersistingL2Cache", &e))
    }
}
