//! Pitched memory and copies of boxes.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUmemorytype};

use super::memory::{Free, driver};
use super::{DriverError, Gpu, GpuMemory};

impl Gpu {
    /// Allocates rows of this number of bytes without initialising them, and returns the bytes from one row to the next.
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
        Ok((GpuMemory::new(self, address, pitch * rows, Free::Device), pitch))
    }
}

/// A box of bytes in a GPU's memory.
#[derive(Clone, Debug)]
pub(crate) struct GpuBox<'a> {
    pub(crate) memory: &'a GpuMemory,
    /// Its first byte to its last, with what lies between its rows.
    pub(crate) bytes: Range<usize>,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Rows from one plane to the next.
    pub(crate) height: usize,
}

impl GpuBox<'_> {
    /// Copies dense planes and rows from the host.
    ///
    /// # Safety
    /// `host` has these planes, rows and bytes of a row.
    pub(crate) unsafe fn write(&self, host: *const u8, shape: [usize; 3]) -> Result<(), DriverError> {
        let mut copy = boxes(shape);
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        (copy.srcHost, copy.srcPitch, copy.srcHeight) = (host.cast(), shape[2], shape[1]);
        self.copy_with_host(copy, true, |copy, address| {
            copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
            (copy.dstDevice, copy.dstPitch, copy.dstHeight) = (address, self.pitch, self.height);
        })
    }

    /// Copies to the host, dense, and waits.
    ///
    /// # Safety
    /// `host` has room for these planes, rows and bytes of a row.
    pub(crate) unsafe fn read(&self, host: *mut u8, shape: [usize; 3]) -> Result<(), DriverError> {
        let mut copy = boxes(shape);
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        (copy.dstHost, copy.dstPitch, copy.dstHeight) = (host.cast(), shape[2], shape[1]);
        self.copy_with_host(copy, false, |copy, address| {
            copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
            (copy.srcDevice, copy.srcPitch, copy.srcHeight) = (address, self.pitch, self.height);
        })
    }

    /// A copy whose other side `place` fills in, in the order of the null stream; waits for it.
    fn copy_with_host(
        &self,
        mut copy: CUDA_MEMCPY3D,
        write: bool,
        place: impl FnOnce(&mut CUDA_MEMCPY3D, u64),
    ) -> Result<(), DriverError> {
        let stream = self.memory.gpu().stream();
        if !is_empty(&copy) {
            self.memory.used(stream, &self.bytes, write, |address| {
                place(&mut copy, address);
                // SAFETY: both sides have these rows; the call is in the order of the null stream.
                driver("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&raw const copy) })
            })?;
        }
        stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }
}

impl Gpu {
    /// Copies a box to another in the order of a stream; either may be page-locked host memory, or
    /// another GPU's.
    pub(crate) fn copy_box(
        &self,
        stream: &Arc<CudaStream>,
        from: GpuBox<'_>,
        to: GpuBox<'_>,
        shape: [usize; 3],
    ) -> Result<(), DriverError> {
        let mut copy = boxes(shape);
        if is_empty(&copy) {
            return Ok(());
        }
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        (copy.srcPitch, copy.srcHeight) = (from.pitch, from.height);
        (copy.dstPitch, copy.dstHeight) = (to.pitch, to.height);
        from.memory.used(stream, &from.bytes, false, |source| {
            to.memory.used(stream, &to.bytes, true, |target| {
                (copy.srcDevice, copy.dstDevice) = (source, target);
                self.bind()?;
                if from.memory.ordinal() != to.memory.ordinal() {
                    let copy = between_contexts(&copy, from.memory.gpu(), to.memory.gpu());
                    // SAFETY: both boxes have these rows, and the stream waits for their other users.
                    let result = unsafe { sys::cuMemcpy3DPeerAsync(&raw const copy, stream.cu_stream()) };
                    return driver("cuMemcpy3DPeerAsync", result);
                }
                // SAFETY: as above.
                let result = unsafe { sys::cuMemcpy3DAsync_v2(&raw const copy, stream.cu_stream()) };
                driver("cuMemcpy3DAsync", result)
            })
        })
    }
}

fn is_empty(copy: &CUDA_MEMCPY3D) -> bool {
    copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0
}

/// A copy of this number of planes, rows and bytes of a row, between places that are still to be set.
pub(super) fn boxes([planes, rows, row]: [usize; 3]) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: ptr::null(),
        srcDevice: 0,
        srcArray: ptr::null_mut(),
        reserved0: ptr::null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: ptr::null_mut(),
        dstDevice: 0,
        dstArray: ptr::null_mut(),
        reserved1: ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: row,
        Height: rows,
        Depth: planes,
    }
}

/// The same copy, between the memory of two GPUs.
fn between_contexts(copy: &CUDA_MEMCPY3D, from: &Gpu, to: &Gpu) -> CUDA_MEMCPY3D_PEER {
    CUDA_MEMCPY3D_PEER {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcZ: copy.srcZ,
        srcLOD: copy.srcLOD,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcArray: copy.srcArray,
        srcContext: from.context().cu_ctx(),
        srcPitch: copy.srcPitch,
        srcHeight: copy.srcHeight,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstZ: copy.dstZ,
        dstLOD: copy.dstLOD,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstArray: copy.dstArray,
        dstContext: to.context().cu_ctx(),
        dstPitch: copy.dstPitch,
        dstHeight: copy.dstHeight,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        Depth: copy.Depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_without_bytes_is_empty() {
        let copy = boxes([2, 3, 40]);
        assert!(!is_empty(&copy) && copy.srcHost.is_null() && copy.dstHost.is_null());
        assert_eq!((copy.Depth, copy.Height, copy.WidthInBytes), (2, 3, 40));
        for shape in [[0, 3, 40], [2, 0, 40], [2, 3, 0]] {
            assert!(is_empty(&boxes(shape)), "{shape:?}");
        }
    }
}
