//! Pitched memory and copies of rows.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUDA_MEMCPY2D, CUmemorytype};

use super::memory::{Free, driver};
use super::{DriverError, Gpu, GpuMemory};

impl Gpu {
    /// Zeroed memory of rows of so many bytes, and the bytes from one row to the next.
    pub(crate) fn alloc_pitched(
        self: &Arc<Self>,
        rows: usize,
        row: usize,
        element: usize,
    ) -> Result<(GpuMemory, usize), DriverError> {
        self.bind()?;
        // The driver knows accesses of 4, 8 and 16 bytes.
        let access = element.next_power_of_two().clamp(4, 16) as u32;
        let (mut address, mut pitch) = (0, 0);
        // SAFETY: the context is bound, both results are writable, and no extent is 0.
        let result = unsafe { sys::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, row, rows, access) };
        driver("cuMemAllocPitch", result)?;
        let memory = GpuMemory::new(self, address, pitch * rows, Free::Device);
        self.fill(self.stream(), &memory, 0)?;
        Ok((memory, pitch))
    }
}

impl GpuMemory {
    /// Copies dense rows from the host.
    ///
    /// # Safety
    /// `host` has `rows` rows of `row` bytes.
    pub(crate) unsafe fn write_rows(
        &self,
        host: *const u8,
        rows: usize,
        row: usize,
        pitch: usize,
    ) -> Result<(), DriverError> {
        let mut copy = rows_between(CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
        (copy.srcHost, copy.srcPitch) = (host.cast(), row);
        (copy.dstDevice, copy.dstPitch) = (self.address(), pitch);
        self.copy_rows(copy, rows, row, true)
    }

    /// Copies rows to the host, dense, and waits.
    ///
    /// # Safety
    /// `host` has room for `rows` rows of `row` bytes.
    pub(crate) unsafe fn read_rows(
        &self,
        host: *mut u8,
        rows: usize,
        row: usize,
        pitch: usize,
    ) -> Result<(), DriverError> {
        let mut copy = rows_between(CUmemorytype::CU_MEMORYTYPE_DEVICE, CUmemorytype::CU_MEMORYTYPE_HOST);
        (copy.srcDevice, copy.srcPitch) = (self.address(), pitch);
        (copy.dstHost, copy.dstPitch) = (host.cast(), row);
        self.copy_rows(copy, rows, row, false)
    }

    fn copy_rows(
        &self,
        mut copy: CUDA_MEMCPY2D,
        rows: usize,
        row: usize,
        write: bool,
    ) -> Result<(), DriverError> {
        if rows == 0 || row == 0 {
            return Ok(());
        }
        (copy.WidthInBytes, copy.Height) = (row, rows);
        let stream = self.gpu().stream();
        self.used(stream, &(0..self.len()), write, |_| {
            // SAFETY: both sides have these rows; the call is in the order of the null stream.
            driver("cuMemcpy2D", unsafe { sys::cuMemcpy2D_v2(&raw const copy) })
        })?;
        stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }
}

/// A copy of no rows between two kinds of memory, with no addresses yet.
fn rows_between(from: CUmemorytype, to: CUmemorytype) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: from,
        srcHost: ptr::null(),
        srcDevice: 0,
        srcArray: ptr::null_mut(),
        srcPitch: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: to,
        dstHost: ptr::null_mut(),
        dstDevice: 0,
        dstArray: ptr::null_mut(),
        dstPitch: 0,
        WidthInBytes: 0,
        Height: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_both_kinds_of_memory() {
        let copy = rows_between(CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
        assert_eq!(copy.srcMemoryType, CUmemorytype::CU_MEMORYTYPE_HOST);
        assert_eq!(copy.dstMemoryType, CUmemorytype::CU_MEMORYTYPE_DEVICE);
        assert!(copy.srcHost.is_null() && copy.dstHost.is_null() && copy.Height == 0);
    }
}
