//! GPU memory, by bytes.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaStream, result};

use super::order;
use super::usage::Usage;
use super::{DriverError, Gpu, shadow};
use crate::argument::Order;
use crate::error::LaunchError;

/// How the memory of an allocation is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    /// To the device's pool, in the order of a stream.
    Pool,
    /// `cuMemFree`, once nothing uses it: pitched and managed memory.
    Device,
    /// `cuMemFreeHost`, of this host address, once nothing uses it.
    Host(usize),
    /// `cuMemHostUnregister`, once nothing uses it; the memory is its owner's.
    Registered(usize),
}

/// Memory that one GPU reaches; given back when dropped, after everything that uses it.
#[derive(Debug)]
pub struct GpuMemory {
    address: u64,
    /// Bytes asked for; the allocation has at least one, as the driver refuses none.
    len: usize,
    free: Free,
    gpu: Arc<Gpu>,
    usage: Usage,
    /// Texture objects of this memory, which end before it.
    textures: Mutex<Vec<u64>>,
    /// A byte for each byte, which says whether it is written, where kernels check that.
    shadow: Option<Box<GpuMemory>>,
}

/// Some of the bytes of such memory.
#[derive(Debug)]
pub struct GpuPart<'m> {
    pub(crate) memory: &'m GpuMemory,
    pub(crate) bytes: Range<usize>,
}

impl GpuMemory {
    /// All of its bytes.
    pub(crate) fn whole(&self) -> GpuPart<'_> {
        GpuPart { memory: self, bytes: 0..self.len }
    }

    pub(super) fn new(gpu: &Arc<Gpu>, address: u64, len: usize, free: Free) -> Self {
        let usage = Usage::new(address..address + len as u64, gpu.stream().clone());
        Self { address, len, free, gpu: gpu.clone(), usage, textures: Mutex::default(), shadow: None }
    }

    /// The same for memory that kernels of every GPU reach at this address.
    pub(super) fn everywhere(mut self) -> Self {
        self.usage.reach_everywhere();
        self
    }

    /// Address of the first byte, on the GPU.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Ordinal of the GPU.
    pub(crate) fn ordinal(&self) -> usize {
        self.gpu.ordinal()
    }

    /// Returns whether it is in a GPU's memory, and not the host's.
    fn is_on_gpu(&self) -> bool {
        matches!(self.free, Free::Pool | Free::Device)
    }

    /// How launches order their uses of this memory.
    pub(crate) fn order(&self) -> Order {
        order::by_usage(&self.usage)
    }

    /// Views of this memory may stand where no launch sees them.
    pub(crate) fn escape(&self) {
        let escaped = self.usage.escape(&self.gpu);
        self.gpu.keep_error(escaped);
    }

    /// Blocks until the host may read the memory, or write it.
    pub(crate) fn wait_on_host(&self, write: bool) -> Result<(), DriverError> {
        self.usage.wait_on_host(write)
    }

    /// Gives the memory its shadow, in which checked kernels see the written bytes.
    pub(super) fn set_shadow(&mut self, shadow: GpuMemory) {
        self.shadow = Some(Box::new(shadow));
    }

    pub(super) fn keep_texture(&self, object: u64) {
        self.textures.lock().unwrap_or_else(PoisonError::into_inner).push(object);
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Copies some of its bytes to the host; waits for everything that writes them.
    pub(crate) fn read(&self, part: Range<usize>, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.gpu.read(self, part, bytes)
    }

    /// Copies bytes of the host to some of its own; waits for everything that uses those.
    pub(crate) fn write(&self, part: Range<usize>, bytes: &[u8]) -> Result<(), DriverError> {
        self.gpu.write(self, part, bytes)
    }

    /// The first fault of a kernel on this memory's GPU.
    pub(crate) fn take_fault(&self) -> Result<(), LaunchError> {
        self.gpu.take_fault()
    }

    pub(crate) fn advise(&self, advice: super::Advice) -> Result<(), DriverError> {
        self.gpu.advise(self, advice)
    }

    /// The address of the byte that records whether the byte at this position is written.
    pub(super) fn shadow_at(&self, position: usize) -> Option<u64> {
        self.shadow.as_ref().map(|shadow| shadow.address + position as u64)
    }

    fn range(&self, bytes: &Range<usize>) -> Range<u64> {
        self.address + bytes.start as u64..self.address + bytes.end as u64
    }

    /// Queues work of one stream on a part of this memory, ordered with every other use.
    pub(super) fn used(
        &self,
        stream: &Arc<CudaStream>,
        bytes: &Range<usize>,
        write: bool,
        queue: impl FnOnce(u64) -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let range = self.range(bytes);
        let start = range.start;
        self.usage.around(&self.gpu, stream, range, write, || {
            queue(start)?;
            match &self.shadow {
                Some(shadow) if write => shadow::mark(&self.gpu, shadow.address, bytes, stream),
                _ => Ok(()),
            }
        })
    }

    /// Destroys the texture objects, once nothing uses them.
    fn destroy_textures(&mut self, streams: &[Arc<CudaStream>]) -> Result<(), DriverError> {
        let textures = std::mem::take(self.textures.get_mut().unwrap_or_else(PoisonError::into_inner));
        if textures.is_empty() {
            return Ok(());
        }
        for stream in streams {
            stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        }
        textures.into_iter().try_for_each(|object| {
            // SAFETY: made for this memory, destroyed once, and nothing uses it any more.
            driver("cuTexObjectDestroy", unsafe { sys::cuTexObjectDestroy(object) })
        })
    }

    /// Frees the shadow, once no kernel looks at it.
    fn drop_shadow(&mut self, streams: &[Arc<CudaStream>]) -> Result<(), DriverError> {
        let Some(shadow) = self.shadow.take() else { return Ok(()) };
        let forgotten = self.gpu.forget_shadow(self.address);
        for stream in streams.iter().chain([self.gpu.stream()]) {
            stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        }
        drop(shadow);
        forgotten
    }

    fn give_back(&mut self) -> Result<(), DriverError> {
        let gpu = self.gpu.clone();
        let streams = self.usage.take_streams();
        gpu.bind()?;
        self.destroy_textures(&streams)?;
        self.drop_shadow(&streams)?;
        let address = self.address;
        if self.free == Free::Pool && gpu.context().has_async_alloc() {
            let stream = gpu.joined(streams)?;
            // SAFETY: allocated by `cuMemAllocAsync`, freed once, on a stream that waits for every use.
            return driver("cuMemFreeAsync", unsafe { sys::cuMemFreeAsync(address, stream.cu_stream()) });
        }
        for stream in &streams {
            stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        }
        // SAFETY: allocated in the way that `free` says, freed once, and nothing uses it any more.
        unsafe {
            match self.free {
                Free::Pool | Free::Device => driver("cuMemFree", sys::cuMemFree_v2(address)),
                Free::Host(host) => driver("cuMemFreeHost", sys::cuMemFreeHost(host as *mut _)),
                Free::Registered(host) => {
                    driver("cuMemHostUnregister", sys::cuMemHostUnregister(host as *mut _))
                }
            }
        }
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        // An error that was kept for the next call must not keep the memory from being waited for.
        let earlier = self.gpu.bind();
        let freed = self.give_back();
        self.gpu.keep_error(earlier);
        self.gpu.keep_error(freed);
    }
}

/// The result of a call of the driver.
pub(super) fn driver(call: &'static str, result: CUresult) -> Result<(), DriverError> {
    result.result().map_err(|e| DriverError::cuda(call, &e))
}

impl Gpu {
    /// New memory; its bytes are whatever they were.
    pub(crate) fn alloc(self: &Arc<Self>, len: usize) -> Result<GpuMemory, DriverError> {
        self.bind()?;
        let bytes = len.max(1);
        let stream = self.stream();
        let address = if self.context().has_async_alloc() {
            // SAFETY: the context is bound, and the size is not 0.
            unsafe { result::malloc_async(stream.cu_stream(), bytes) }
                .map_err(DriverError::at("cuMemAllocAsync"))?
        } else {
            // SAFETY: as above.
            unsafe { result::malloc_sync(bytes) }.map_err(DriverError::at("cuMemAlloc"))?
        };
        let memory = GpuMemory::new(self, address, len, Free::Pool);
        // The allocation itself is the first write: no stream may use the memory before it.
        memory.used(stream, &(0..len), true, |_| Ok(()))?;
        Ok(memory)
    }

    /// New memory, every byte zero.
    pub(crate) fn alloc_zeroed(self: &Arc<Self>, len: usize) -> Result<GpuMemory, DriverError> {
        let memory = self.alloc(len)?;
        self.fill(self.stream(), &memory, 0)?;
        Ok(memory)
    }

    /// Sets every byte, in the order of a stream.
    pub(crate) fn fill(
        &self,
        stream: &Arc<CudaStream>,
        memory: &GpuMemory,
        byte: u8,
    ) -> Result<(), DriverError> {
        if memory.len == 0 {
            return Ok(());
        }
        memory.used(stream, &(0..memory.len), true, |address| {
            // SAFETY: the allocation has that many bytes, and the stream waits for its other users.
            let result = unsafe { sys::cuMemsetD8Async(address, byte, memory.len, stream.cu_stream()) };
            driver("cuMemsetD8Async", result)
        })
    }

    /// Copies from the host to a part of the memory.
    ///
    /// Not `cuMemcpyHtoDAsync`: the host's slice may be page-locked, and is the caller's again on return.
    pub(crate) fn write(
        &self,
        memory: &GpuMemory,
        part: Range<usize>,
        bytes: &[u8],
    ) -> Result<(), DriverError> {
        if part.is_empty() {
            return Ok(());
        }
        memory.used(self.stream(), &part, true, |address| {
            // SAFETY: both sides have that many bytes; the call is in the order of the null stream.
            let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), part.len()) };
            driver("cuMemcpyHtoD", result)
        })
    }

    /// Copies a part of the memory to the host and waits.
    pub(crate) fn read(
        &self,
        memory: &GpuMemory,
        part: Range<usize>,
        bytes: &mut [u8],
    ) -> Result<(), DriverError> {
        if !part.is_empty() {
            memory.used(self.stream(), &part, false, |address| {
                // SAFETY: as in `write`.
                let result = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, part.len()) };
                driver("cuMemcpyDtoH", result)
            })?;
        }
        self.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// Copies memory that kernels of this GPU reach to the host, once everything that was queued is done.
    ///
    /// # Safety
    /// The memory has that many bytes, and nothing is queued meanwhile that writes them.
    pub(crate) unsafe fn read_address(&self, address: u64, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.synchronize()?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: as promised; the call returns when the bytes are there.
        let result = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        driver("cuMemcpyDtoH", result)
    }

    /// Copies from the host to memory that kernels of this GPU reach, between everything that was queued and
    /// everything that will be.
    ///
    /// # Safety
    /// The memory has that many bytes, and nothing is queued meanwhile that uses them.
    pub(crate) unsafe fn write_address(&self, address: u64, bytes: &[u8]) -> Result<(), DriverError> {
        self.synchronize()?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: as promised.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        driver("cuMemcpyHtoD", result)?;
        // From pageable memory the call may return before the last bytes are there.
        self.synchronize()
    }

    /// Copies between two memories in the order of a stream; either may be page-locked host memory,
    /// or another GPU's where unified addressing reaches it.
    pub(crate) fn copy(
        &self,
        stream: &Arc<CudaStream>,
        from: GpuPart<'_>,
        to: GpuPart<'_>,
    ) -> Result<(), DriverError> {
        let GpuPart { memory: from, bytes: source } = from;
        let GpuPart { memory: to, bytes: target } = to;
        let bytes = source.len();
        if bytes == 0 {
            return Ok(());
        }
        let unwritten = from.shadow_at(source.start).zip(to.shadow_at(target.start));
        from.used(stream, &source, false, |source| {
            to.used(stream, &target, true, |target| {
                self.bind()?;
                let on_gpus = from.is_on_gpu() && to.is_on_gpu();
                if on_gpus && from.ordinal() != to.ordinal() {
                    // A pool's memory is reached from another GPU by its context alone, unless that has access.
                    let contexts = [to, from].map(|memory| memory.gpu().context().cu_ctx());
                    let queue = stream.cu_stream();
                    // SAFETY: both parts have that many bytes, and the stream waits for their other users.
                    let result = unsafe {
                        sys::cuMemcpyPeerAsync(target, contexts[0], source, contexts[1], bytes, queue)
                    };
                    return driver("cuMemcpyPeerAsync", result);
                }
                // SAFETY: as above.
                let result = unsafe { sys::cuMemcpyAsync(target, source, bytes, stream.cu_stream()) };
                driver("cuMemcpyAsync", result)
            })?;
            match unwritten.filter(|_| [from, to].iter().all(|side| side.ordinal() == self.ordinal)) {
                // SAFETY: the shadows have as many bytes, and are ordered as what they tell of.
                Some((from, to)) => driver("cuMemcpyAsync", unsafe {
                    sys::cuMemcpyAsync(to, from, bytes, stream.cu_stream())
                }),
                None => Ok(()),
            }
        })
    }
}
