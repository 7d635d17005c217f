//! Settings of a whole context.

use cudarc::driver::sys;

use super::memory::driver;
use super::{CachePreference, DriverError, Gpu, attributes};

impl Gpu {
    /// Sets whether kernels on this GPU prefer more L1 cache or more shared memory, unless a launch has set it for its
    /// kernel. A change may make a launch wait for earlier ones.
    ///
    /// It is a hint: the driver does not report which split a launch got.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuCtxSetCacheConfig`.
    pub fn set_cache_preference(&self, preference: CachePreference) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: the context is bound.
        let result = unsafe { sys::cuCtxSetCacheConfig(attributes::cache_to_driver(preference)) };
        driver("cuCtxSetCacheConfig", result)
    }

    /// The preference that [`Gpu::set_cache_preference`] set last, as the driver reports it, if the L1 cache and shared
    /// memory use the same hardware. They do on every GPU since compute capability 7.0. Always `None` on a GPU whose sizes
    /// are fixed.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuCtxGetCacheConfig`.
    pub fn cache_preference(&self) -> Result<CachePreference, DriverError> {
        self.bind()?;
        let mut preference = sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE;
        // SAFETY: the context is bound and `preference` writable.
        driver("cuCtxGetCacheConfig", unsafe { sys::cuCtxGetCacheConfig(&raw mut preference) })?;
        Ok(attributes::cache_from_driver(preference as u32))
    }
}
