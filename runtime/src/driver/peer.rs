//! Access of one GPU to the memory of another.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use cudarc::driver::sys::{self, CUdevice_P2PAttribute, CUmemAccess_flags, CUmemAccessDesc, CUresult};

use super::memory::driver;
use super::{DriverError, Gpu};

/// The GPUs whose memory one GPU was given access to. None is taken back: a launch may be using it.
#[derive(Default)]
pub(super) struct Peers {
    /// Whether there are any; without any, a launch takes no lock.
    any: AtomicBool,
    list: RwLock<Vec<Arc<Gpu>>>,
}

impl Peers {
    /// Does something for each of them.
    #[inline]
    pub fn try_each(&self, run: impl FnMut(&Arc<Gpu>) -> Result<(), DriverError>) -> Result<(), DriverError> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        self.list.read().unwrap_or_else(PoisonError::into_inner).iter().try_for_each(run)
    }

    fn has(&self, ordinal: usize) -> bool {
        let list = self.list.read().unwrap_or_else(PoisonError::into_inner);
        self.any.load(Ordering::Acquire) && list.iter().any(|peer| peer.ordinal() == ordinal)
    }

    fn add(&self, peer: &Arc<Gpu>) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|known| Arc::ptr_eq(known, peer)) {
            list.push(peer.clone());
        }
        self.any.store(true, Ordering::Release);
    }
}

impl Gpu {
    pub(super) fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Returns whether kernels of this GPU may use memory of a GPU: its own, or one that it was given access to.
    pub(crate) fn reaches(&self, ordinal: usize) -> bool {
        ordinal == self.ordinal || self.peers.has(ordinal)
    }

    /// Returns whether atomics of this GPU on the other's memory are done by the link between them.
    pub(crate) fn peer_atomics(&self, other: &Gpu) -> Result<bool, DriverError> {
        let attribute = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
        let mut native = 0;
        let (here, there) = (self.context().cu_device(), other.context().cu_device());
        // SAFETY: both devices exist and `native` is writable.
        let result = unsafe { sys::cuDeviceGetP2PAttribute(&raw mut native, attribute, here, there) };
        driver("cuDeviceGetP2PAttribute", result)?;
        Ok(native != 0)
    }

    /// Returns whether this GPU can reach the other's memory directly.
    pub(crate) fn can_access(&self, other: &Gpu) -> Result<bool, DriverError> {
        let mut can = 0;
        let (here, there) = (self.context().cu_device(), other.context().cu_device());
        // SAFETY: both devices exist and `can` is writable.
        let result = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, here, there) };
        driver("cuDeviceCanAccessPeer", result)?;
        Ok(can != 0)
    }

    /// Lets this GPU reach the other's memory, that of its pool too.
    pub(crate) fn enable_access(&self, other: &Arc<Gpu>) -> Result<(), DriverError> {
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
            driver("cuMemPoolSetAccess", sys::cuMemPoolSetAccess(pool, &raw const access, 1))?;
        }
        self.peers.add(other);
        Ok(())
    }
}
