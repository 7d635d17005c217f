//! The record that a faulting kernel writes, in pinned host memory that the GPU sees.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::driver::result::DriverError as CudaError;
use cudarc::driver::sys;

use super::DriverError;

/// `struct ws_Fault` of the printed CUDA.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub state: u32,
    pub site: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    pub a: u64,
    pub b: u64,
}

/// State of a record that is complete.
const WRITTEN: u32 = 2;

/// One record, freed when dropped.
pub(super) struct FaultRecord {
    host: NonNull<Record>,
    device: u64,
    _context: Arc<CudaContext>,
}

// SAFETY: the record is plain memory that is only read and reset under `Gpu::faulting`'s lock.
unsafe impl Send for FaultRecord {}
// SAFETY: as above.
unsafe impl Sync for FaultRecord {}

impl FaultRecord {
    /// An empty record.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let bind = |e: CudaError| DriverError::cuda("cuMemHostAlloc", &e);
        context.bind_to_thread().map_err(bind)?;
        let mut host = ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: a context is bound; `host` is writable.
        unsafe { sys::cuMemHostAlloc(&raw mut host, size_of::<Record>(), flags) }.result().map_err(bind)?;
        let Some(record) = NonNull::new(host.cast::<Record>()) else {
            return Err(bind(CudaError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)));
        };
        // SAFETY: the allocation has the size of a record.
        unsafe { record.as_ptr().write_bytes(0, 1) };
        let mut device = 0;
        // SAFETY: the memory was allocated mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0) }.result().map_err(bind)?;
        Ok(Self { host: record, device, _context: context.clone() })
    }

    /// Its address on the GPU.
    pub fn device_address(&self) -> u64 {
        self.device
    }

    /// The fault, if one was written; the record is empty again.
    pub fn take(&self) -> Option<Record> {
        // SAFETY: the record is alive; the GPU writes it concurrently, so it is read as volatile.
        let record = unsafe { self.host.as_ptr().read_volatile() };
        if record.state != WRITTEN {
            return None;
        }
        // SAFETY: as above; no kernel writes once the state is not zero.
        unsafe { (&raw mut (*self.host.as_ptr()).state).write_volatile(0) };
        Some(record)
    }
}

impl Drop for FaultRecord {
    fn drop(&mut self) {
        // SAFETY: allocated by `cuMemHostAlloc`, freed once. A failure leaks 48 bytes.
        let _ = unsafe { sys::cuMemFreeHost(self.host.as_ptr().cast()) };
    }
}
