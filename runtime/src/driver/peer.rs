//! Access of one GPU to the memory of another.

use std::ptr;

use cudarc::driver::sys::{self, CUmemAccess_flags, CUmemAccessDesc, CUresult};

use super::memory::driver;
use super::{DriverError, Gpu};

impl Gpu {
    /// Whether this GPU can reach the other's memory directly.
    pub(crate) fn can_access(&self, other: &Gpu) -> Result<bool, DriverError> {
        let mut can = 0;
        let (here, there) = (self.context().cu_device(), other.context().cu_device());
        // SAFETY: both devices exist and `can` is writable.
        let result = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, here, there) };
        driver("cuDeviceCanAccessPeer", result)?;
        Ok(can != 0)
    }

    /// Lets this GPU reach the other's memory, that of its pool too.
    pub(crate) fn enable_access(&self, other: &Gpu) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: both contexts are alive, and this one is bound.
        match unsafe { sys::cuCtxEnablePeerAccess(other.context().cu_ctx(), 0) } {
            CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
            result => driver("cuCtxEnablePeerAccess", result)?,
        }
        let access = CUmemAccessDesc {
            location: self.location(false),
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let mut pool = ptr::null_mut();
        // SAFETY: the device exists, `pool` is writable, and `access` is one description.
        unsafe {
            let device = other.context().cu_device();
            driver("cuDeviceGetMemPool", sys::cuDeviceGetMemPool(&raw mut pool, device))?;
            driver("cuMemPoolSetAccess", sys::cuMemPoolSetAccess(pool, &raw const access, 1))
        }
    }
}
