//! The records that faulting kernels write, in pinned host memory that the GPU sees.
//!
//! Each loaded kernel that checks has one record. All point at one word of their GPU, so a launch after launches without a
//! fault costs one load.

use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::CudaContext;
use cudarc::driver::result::DriverError as CudaError;
use cudarc::driver::sys;

use super::DriverError;
use crate::fault::{nested_too_deep, too_many_wait};

/// `struct ws_Fault` of the printed CUDA.
///
/// The lowest bits of its address are free for the elements of a coarsened kernel's thread.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub state: u32,
    pub site: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    pub a: u64,
    pub b: u64,
    /// The GPU's address of the word that says that there is a record.
    any: u64,
}

/// State of a record that is complete.
const WRITTEN: u32 = 2;

/// Records of one allocation; the first one's place is the word's.
const RECORDS: usize = 64;

/// The fault records of one GPU.
pub(super) struct Faults {
    context: Arc<CudaContext>,
    /// The first allocation, whose first place holds the word.
    first: Arc<Pinned>,
    /// The place of the next record.
    next: Mutex<(Arc<Pinned>, usize)>,
    /// Held by the thread that takes a fault.
    taking: Mutex<()>,
}

/// One record; its place is not used again.
pub(super) struct FaultRecord {
    memory: Arc<Pinned>,
    index: usize,
}

impl Faults {
    /// No records, and the word.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let first = Arc::new(Pinned::new(context)?);
        let next = Mutex::new((first.clone(), 1));
        Ok(Self { context: context.clone(), first, next, taking: Mutex::default() })
    }

    /// An empty record.
    pub fn record(&self) -> Result<FaultRecord, DriverError> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if next.1 == RECORDS {
            *next = (Arc::new(Pinned::new(&self.context)?), 0);
        }
        let record = FaultRecord { memory: next.0.clone(), index: next.1 };
        next.1 += 1;
        // SAFETY: the place is this record's alone, and no kernel has its address yet.
        unsafe { (&raw mut (*record.place()).any).write_volatile(self.first.device) };
        Ok(record)
    }

    /// Returns whether a kernel has faulted since the last call of [`Faults::clear`].
    #[inline]
    pub fn any(&self) -> bool {
        // SAFETY: pinned memory that the GPU writes concurrently, so it is read as volatile.
        unsafe { self.word().read_volatile() != 0 }
    }

    /// Runs `take` while no other thread takes a fault. `take` looks at the records and says whether
    /// there may be more.
    pub fn clear<T>(&self, take: impl FnOnce() -> (T, bool)) -> T {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as above. A kernel that writes its record after this sets the word again.
        unsafe { self.word().write_volatile(0) };
        let (taken, more) = take();
        if more {
            // SAFETY: as above.
            unsafe { self.word().write_volatile(1) };
        }
        taken
    }

    fn word(&self) -> *mut u32 {
        self.first.host.as_ptr().cast()
    }
}

impl FaultRecord {
    /// Its address on the GPU.
    pub fn device_address(&self) -> u64 {
        self.memory.device + (self.index * size_of::<Record>()) as u64
    }

    /// The fault, if one was written; the record is empty again. Called by one thread at a time.
    pub fn take(&self) -> Option<Record> {
        // SAFETY: the record is alive; the GPU writes it concurrently, so it is read as volatile.
        let record = unsafe { self.place().read_volatile() };
        if record.state != WRITTEN {
            return None;
        }
        // SAFETY: as above; no kernel writes once the state is not zero.
        unsafe { (&raw mut (*self.place()).state).write_volatile(0) };
        Some(record)
    }

    fn place(&self) -> *mut Record {
        // SAFETY: the index is below the number of records of the allocation.
        unsafe { self.memory.host.as_ptr().add(self.index) }
    }
}

/// Zeroed host memory of [`RECORDS`] records, mapped; freed when dropped.
struct Pinned {
    host: NonNull<Record>,
    device: u64,
    context: Arc<CudaContext>,
}

// SAFETY: the memory is reached as volatile, by the thread that has the place or the lock.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Pinned {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let failed = |e: CudaError| DriverError::cuda("cuMemHostAlloc", &e);
        context.bind_to_thread().map_err(failed)?;
        let mut host = ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        let bytes = RECORDS * size_of::<Record>();
        // SAFETY: a context is bound; `host` is writable.
        unsafe { sys::cuMemHostAlloc(&raw mut host, bytes, flags) }.result().map_err(failed)?;
        let Some(records) = NonNull::new(host.cast::<Record>()) else {
            return Err(failed(CudaError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)));
        };
        // SAFETY: the allocation has the size of the records.
        unsafe { records.as_ptr().write_bytes(0, RECORDS) };
        let mut device = 0;
        // SAFETY: the memory was allocated mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0) }.result().map_err(failed)?;
        Ok(Self { host: records, device, context: context.clone() })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = self.context.bind_to_thread();
        // SAFETY: allocated by `cuMemHostAlloc`, freed once. A failure leaks a page.
        let _ = unsafe { sys::cuMemFreeHost(self.host.as_ptr().cast()) };
    }
}

/// The reason why CUDA's device runtime refuses a launch, and the way out.
pub(super) fn refused_by_device(kernel: &str, code: u64) -> String {
    let why = match code {
        2 => "cudaErrorMemoryAllocation: there is no memory left for its arguments".to_owned(),
        9 => {
            "cudaErrorInvalidConfiguration: an extent is zero, or above a limit of the device or of its launch bounds".to_owned()
        }
        65 => format!("cudaErrorLaunchMaxDepthExceeded: {}", nested_too_deep()),
        69 => format!("cudaErrorLaunchPendingCountExceeded: {}", too_many_wait(None)),
        701 => "cudaErrorLaunchOutOfResources: a block needs more registers or shared memory than there is".to_owned(),
        other => {
            return format!("the launch of kernel `{kernel}` failed on the device with CUDA error {other}");
        }
    };
    format!("the launch of kernel `{kernel}` failed on the device: {why}")
}
