//! Host memory that a GPU reaches: page-locked, registered, managed.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUmem_advise, CUmemLocation, CUmemLocationType};

use super::memory::{Free, driver};
use super::{DriverError, Gpu, GpuMemory};
use crate::argument::MemoryPlace;

/// How page-locked memory is allocated. It is always mapped: kernels can take it as an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// Page-locked for every CUDA context: kernels of every GPU can take it, unless it is write-combined.
    ///
    /// Source: CUDA Driver API, `CU_MEMHOSTALLOC_PORTABLE`.
    pub portable: bool,
    /// Not cached by the CPU: the GPU may read it faster, the host reads it very slowly.
    ///
    /// Source: CUDA Driver API, `CU_MEMHOSTALLOC_WRITECOMBINED`.
    pub write_combined: bool,
}

/// How managed memory will be used.
///
/// Source: CUDA Driver API, `CUmem_advise`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Mostly read: each side may keep a copy.
    ReadMostly,
    /// Takes `ReadMostly` back.
    NotReadMostly,
    /// The memory should stay on the device.
    PreferDevice,
    /// The memory should stay on the host.
    PreferHost,
    /// The device will access it: keep it mapped there.
    AccessedByDevice,
    /// The host will access it: keep it mapped there.
    AccessedByHost,
}

impl Gpu {
    /// Page-locked host memory, and its host address.
    pub(crate) fn alloc_pinned(
        self: &Arc<Self>,
        len: usize,
        how: Pinned,
    ) -> Result<(GpuMemory, *mut u8), DriverError> {
        self.bind()?;
        let mut flags = sys::CU_MEMHOSTALLOC_DEVICEMAP;
        if how.portable {
            flags |= sys::CU_MEMHOSTALLOC_PORTABLE;
        }
        if how.write_combined {
            flags |= sys::CU_MEMHOSTALLOC_WRITECOMBINED;
        }
        let mut host = ptr::null_mut();
        // SAFETY: the context is bound and `host` is writable.
        driver("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&raw mut host, len.max(1), flags) })?;
        // SAFETY: allocated just now; freed here if the GPU does not see it.
        let address = self.mapped(host).inspect_err(|_| unsafe {
            let _ = sys::cuMemFreeHost(host);
        })?;
        let memory = GpuMemory::new(self, address, len, Free::Host(host as usize));
        // Every context sees this memory where the host does, unless it is write-combined.
        let everywhere = how.portable && !how.write_combined && address == host as u64;
        Ok((if everywhere { memory.everywhere() } else { memory }, host.cast()))
    }

    /// Makes host memory page-locked until the result is dropped.
    ///
    /// # Safety
    /// The host leaves the memory alone but as `wait_on_host` allows, and it outlives the result.
    pub(crate) unsafe fn register(
        self: &Arc<Self>,
        host: *mut u8,
        len: usize,
    ) -> Result<GpuMemory, DriverError> {
        self.bind()?;
        let flags = sys::CU_MEMHOSTREGISTER_DEVICEMAP | sys::CU_MEMHOSTREGISTER_PORTABLE;
        let host: *mut c_void = host.cast();
        // SAFETY: the memory is alive and has that many bytes.
        driver("cuMemHostRegister", unsafe { sys::cuMemHostRegister_v2(host, len, flags) })?;
        // SAFETY: registered just now; unregistered here if the GPU does not see it.
        let address = self.mapped(host).inspect_err(|_| unsafe {
            let _ = sys::cuMemHostUnregister(host);
        })?;
        Ok(GpuMemory::new(self, address, len, Free::Registered(host as usize)))
    }

    /// The GPU's address of page-locked memory.
    fn mapped(&self, host: *mut c_void) -> Result<u64, DriverError> {
        let mut address = 0;
        // SAFETY: `address` is writable; what is no mapped memory is an error.
        let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, host, 0) };
        driver("cuMemHostGetDevicePointer", result)?;
        Ok(address)
    }

    /// Memory that moves between host and GPU by pages; its address is the same on both.
    pub(crate) fn alloc_managed(self: &Arc<Self>, len: usize) -> Result<GpuMemory, DriverError> {
        if !self.limits().concurrent_managed {
            let what = "managed memory that the host uses while kernels run";
            let why = "the device cannot share it; use `alloc_pinned`";
            return Err(DriverError::Unavailable { what, place: MemoryPlace::Gpu(self.ordinal), why });
        }
        self.bind()?;
        let mut address = 0;
        let flags = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
        // SAFETY: the context is bound and `address` is writable.
        let result = unsafe { sys::cuMemAllocManaged(&raw mut address, len.max(1), flags) };
        driver("cuMemAllocManaged", result)?;
        Ok(GpuMemory::new(self, address, len, Free::Device))
    }

    pub(super) fn location(&self, host: bool) -> CUmemLocation {
        let (type_, id) = if host {
            (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, 0)
        } else {
            (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, self.context().cu_device())
        };
        CUmemLocation { type_, id }
    }

    /// Moves managed memory, in the order of a stream.
    pub(crate) fn prefetch(
        &self,
        stream: &Arc<CudaStream>,
        memory: &GpuMemory,
        to_host: bool,
    ) -> Result<(), DriverError> {
        let bytes = memory.len();
        if bytes == 0 {
            return Ok(());
        }
        super::required::later("cuMemPrefetchAsync_v2")?;
        let location = self.location(to_host);
        memory.used(stream, &(0..bytes), false, |address| {
            // SAFETY: managed memory of that many bytes.
            let result =
                unsafe { sys::cuMemPrefetchAsync_v2(address, bytes, location, 0, stream.cu_stream()) };
            driver("cuMemPrefetchAsync", result)
        })
    }

    /// Tells the driver how managed memory will be used.
    pub(crate) fn advise(&self, memory: &GpuMemory, advice: Advice) -> Result<(), DriverError> {
        let (advice, host) = match advice {
            Advice::ReadMostly => (CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY, false),
            Advice::NotReadMostly => (CUmem_advise::CU_MEM_ADVISE_UNSET_READ_MOSTLY, false),
            Advice::PreferDevice => (CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, false),
            Advice::PreferHost => (CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, true),
            Advice::AccessedByDevice => (CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, false),
            Advice::AccessedByHost => (CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, true),
        };
        if memory.len() == 0 {
            return Ok(());
        }
        super::required::later("cuMemAdvise_v2")?;
        self.bind()?;
        // SAFETY: managed memory of that many bytes.
        let result =
            unsafe { sys::cuMemAdvise_v2(memory.address(), memory.len(), advice, self.location(host)) };
        driver("cuMemAdvise", result)
    }

    /// Free and total bytes of device memory.
    pub(crate) fn mem_info(&self) -> Result<(usize, usize), DriverError> {
        self.context().mem_get_info().map_err(DriverError::at("cuMemGetInfo"))
    }

    /// Gives unused memory of the pool back to the system.
    pub(crate) fn trim(&self, keep: usize) -> Result<(), DriverError> {
        self.synchronize()?;
        let mut pool = ptr::null_mut();
        // SAFETY: the device exists and `pool` is writable; the default pool lives as long as the device.
        unsafe {
            let device = self.context().cu_device();
            driver("cuDeviceGetMemPool", sys::cuDeviceGetMemPool(&raw mut pool, device))?;
            driver("cuMemPoolTrimTo", sys::cuMemPoolTrimTo(pool, keep))
        }
    }
}
