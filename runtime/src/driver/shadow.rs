//! The shadow of memory of `alloc_uninit`, where kernels check their reads: a byte for each byte tells whether it is
//! written.
//!
//! The shadows are memory of the GPU, found by address in a table that checked kernels read. Copies and fills mark
//! what they write, in the order of their streams; so do launches of kernels that do not check, for all that they may
//! write. Memory without a shadow counts as written.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::CudaStream;
use cudarc::driver::sys;

use super::memory::driver;
use super::{DriverError, Gpu, GpuMemory};
use crate::argument::{KernelArg, MemoryPlace};
use crate::codegen::Needs;

/// Shadows of one GPU at once.
const ENTRIES: usize = 1024;

/// `struct ws_Shadow` of the printed CUDA; the table ends with the first that was never used.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The memory's first byte, its end, and the byte that says whether the first is written.
    start: u64,
    end: u64,
    shadow: u64,
}

/// The shadows of one GPU.
#[derive(Debug, Default)]
pub(super) struct Shadows {
    alive: AtomicUsize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// The GPU's address, once there is one.
    address: Option<u64>,
    /// All entries that were ever used; an end of 0 is free.
    entries: Vec<Entry>,
}

impl Shadows {
    /// Returns whether there are any.
    #[inline]
    pub fn any(&self) -> bool {
        self.alive.load(Ordering::Relaxed) != 0
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Writes one word of an entry on the GPU. Kernels that run see a word as it was or as it is.
    fn write(&self, gpu: &Gpu, entry: usize, word: usize, value: u64) -> Result<(), DriverError> {
        let Some(address) = self.address else { return Ok(()) };
        let place = address + (entry * size_of::<Entry>() + word * 8) as u64;
        gpu.bind()?;
        // SAFETY: the table has that entry.
        driver("cuMemcpyHtoD", unsafe { sys::cuMemcpyHtoD_v2(place, (&raw const value).cast(), 8) })
    }
}

impl Gpu {
    /// The address of the table, which is allocated at the first call.
    pub(super) fn shadow_table(&self) -> Result<u64, DriverError> {
        let mut table = self.shadows.table();
        if let Some(address) = table.address {
            return Ok(address);
        }
        self.bind()?;
        let (mut address, bytes) = (0, (ENTRIES + 1) * size_of::<Entry>());
        // SAFETY: the context is bound, and the size is not 0. The table lives as long as the context.
        driver("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) })?;
        // SAFETY: the allocation has that many bytes.
        driver("cuMemsetD8", unsafe { sys::cuMemsetD8_v2(address, 0, bytes) })?;
        self.synchronize()?;
        table.address = Some(address);
        Ok(address)
    }

    /// New memory without values, with a shadow that records this.
    pub(crate) fn alloc_shadowed(self: &Arc<Self>, len: usize) -> Result<GpuMemory, DriverError> {
        let mut memory = self.alloc(len)?;
        if len == 0 {
            return Ok(memory);
        }
        self.shadow_table()?;
        let shadow = self.alloc_zeroed(len)?;
        let mut table = self.shadows.table();
        let free = table.entries.iter().position(|entry| entry.end == 0).unwrap_or(table.entries.len());
        if free == ENTRIES {
            let what = "checking the reads of more than 1024 buffers of `alloc_uninit` at once";
            let why = "use `alloc_zeroed` for the others, or launch without `GpuChecks::initialisation`";
            return Err(DriverError::Unavailable { what, place: MemoryPlace::Gpu(self.ordinal), why });
        }
        let entry =
            Entry { start: memory.address(), end: memory.address() + len as u64, shadow: shadow.address() };
        if free == table.entries.len() {
            table.entries.push(entry);
        } else {
            table.entries[free] = entry;
        }
        // The end last: until then no address is in the entry.
        table.write(self, free, 2, entry.shadow)?;
        table.write(self, free, 0, entry.start)?;
        table.write(self, free, 1, entry.end)?;
        self.shadows.alive.fetch_add(1, Ordering::Relaxed);
        drop(table);
        // Streams that do not wait for the device's own one must not see the shadow before it is clear.
        self.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        memory.set_shadow(shadow);
        Ok(memory)
    }

    /// The first byte of a memory that no work has written, after everything that uses it; `None` without a shadow.
    pub(crate) fn first_unwritten(&self, memory: &GpuMemory) -> Result<Option<Option<usize>>, DriverError> {
        let Some(shadow) = memory.shadow_at(0) else { return Ok(None) };
        let mut written = vec![0u8; memory.len()];
        memory.used(self.stream(), &(0..memory.len()), false, |_| {
            // SAFETY: the shadow has as many bytes as the memory; the call is in the order of the null stream.
            let result = unsafe { sys::cuMemcpyDtoH_v2(written.as_mut_ptr().cast(), shadow, written.len()) };
            driver("cuMemcpyDtoH", result)
        })?;
        self.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        Ok(Some(written.iter().position(|byte| *byte == 0)))
    }

    /// The memory at this address has no shadow any more.
    pub(super) fn forget_shadow(&self, start: u64) -> Result<(), DriverError> {
        let mut table = self.shadows.table();
        let Some(i) = table.entries.iter().position(|entry| entry.end != 0 && entry.start == start) else {
            return Ok(());
        };
        table.entries[i].end = 0;
        self.shadows.alive.fetch_sub(1, Ordering::Relaxed);
        table.write(self, i, 1, 0)
    }

    /// Memory that a kernel may write without marking it counts as written, in the order of a stream.
    pub(super) fn mark_unchecked(
        &self,
        needs: &Needs,
        args: &[KernelArg],
        stream: sys::CUstream,
    ) -> Result<(), DriverError> {
        if !self.shadows.any() {
            return Ok(());
        }
        if needs.shadow_table {
            // A kernel with the table marks what its threads write, and not what the copy engine does.
            return self
                .mark_arguments(args, false, stream, |arg| matches!(arg, KernelArg::TensorMap { .. }));
        }
        self.mark_arguments(args, needs.hidden_memory, stream, |_| true)
    }

    /// The same of memory of the GPUs that this one reaches, whose tables its kernels do not have.
    pub(super) fn mark_at_peers(&self, needs: &Needs, args: &[KernelArg]) -> Result<(), DriverError> {
        self.peers().try_each(|peer| {
            if !peer.shadows.any() {
                return Ok(());
            }
            peer.bind()?;
            peer.mark_arguments(args, needs.hidden_memory, peer.stream().cu_stream(), |_| true)?;
            peer.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))
        })
    }

    fn mark_arguments(
        &self,
        args: &[KernelArg],
        hidden_memory: bool,
        stream: sys::CUstream,
        counts: impl Fn(&KernelArg) -> bool,
    ) -> Result<(), DriverError> {
        let table = self.shadows.table();
        let written = |entry: &Entry| {
            let args = args.iter().filter(|arg| counts(arg));
            let brought = args.filter_map(KernelArg::memory).filter(|memory| memory.mutable);
            let parts =
                brought.map(|memory| memory.range.start.max(entry.start)..memory.range.end.min(entry.end));
            let all = hidden_memory.then_some(entry.start..entry.end);
            parts.chain(all).filter(|part| part.start < part.end).collect::<Vec<_>>()
        };
        for entry in table.entries.iter().filter(|entry| entry.end != 0) {
            for part in written(entry) {
                set(entry.shadow + (part.start - entry.start), (part.end - part.start) as usize, stream)?;
            }
        }
        Ok(())
    }
}

/// Marks bytes as written by their shadow; the context is bound.
fn set(shadow: u64, bytes: usize, stream: sys::CUstream) -> Result<(), DriverError> {
    // SAFETY: the shadow has that many bytes, and is freed after what the stream has queued.
    driver("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(shadow, 1, bytes, stream) })
}

/// Marks a part of a shadowed memory as written, in the order of a stream.
pub(super) fn mark(
    gpu: &Gpu,
    shadow: u64,
    bytes: &Range<usize>,
    stream: &CudaStream,
) -> Result<(), DriverError> {
    if bytes.is_empty() {
        return Ok(());
    }
    gpu.bind()?;
    let first = shadow + bytes.start as u64;
    if stream.context() == gpu.context() {
        return set(first, bytes.len(), stream.cu_stream());
    }
    // Another GPU's stream cannot fill this one's memory.
    stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
    gpu.bind()?;
    set(first, bytes.len(), gpu.stream().cu_stream())?;
    gpu.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))
}
