//! GPU memory, by bytes.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};

use super::{DriverError, Gpu};

/// An allocation on one GPU.
#[derive(Debug)]
pub struct GpuMemory {
    bytes: CudaSlice<u8>,
    /// Bytes asked for; the allocation has at least one, as the driver refuses none.
    len: usize,
    address: u64,
}

impl GpuMemory {
    fn new(bytes: CudaSlice<u8>, len: usize, stream: &Arc<CudaStream>) -> Self {
        let address = bytes.device_ptr(stream).0;
        Self { bytes, len, address }
    }

    /// Address of the first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Ordinal of the GPU.
    pub(crate) fn ordinal(&self) -> usize {
        self.bytes.ordinal()
    }
}

impl Gpu {
    /// New memory, every byte zero.
    pub(crate) fn alloc_zeroed(&self, len: usize) -> Result<GpuMemory, DriverError> {
        let bytes = self
            .stream
            .alloc_zeros::<u8>(len.max(1))
            .map_err(|e| DriverError::cuda("cuMemAllocAsync", &e))?;
        Ok(GpuMemory::new(bytes, len, &self.stream))
    }

    /// Copies from the host.
    pub(crate) fn write(&self, memory: &mut GpuMemory, bytes: &[u8]) -> Result<(), DriverError> {
        if memory.len == 0 {
            return Ok(());
        }
        self.stream.memcpy_htod(bytes, &mut memory.bytes).map_err(|e| DriverError::cuda("cuMemcpyHtoD", &e))
    }

    /// Copies to the host and waits.
    pub(crate) fn read(&self, memory: &GpuMemory, bytes: &mut [u8]) -> Result<(), DriverError> {
        if memory.len > 0 {
            let view = memory.bytes.slice(..memory.len);
            self.stream.memcpy_dtoh(&view, bytes).map_err(|e| DriverError::cuda("cuMemcpyDtoH", &e))?;
        }
        self.stream.synchronize().map_err(|e| DriverError::cuda("cuStreamSynchronize", &e))
    }
}
