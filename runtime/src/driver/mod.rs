//! The CUDA driver through cudarc: contexts, memory, loaded kernels, launches.
//!
//! Only this module and `nvrtc` name cudarc. A missing library is an error, never a panic.

mod cudarc_args;
mod error;
mod fault;
mod host;
mod launch;
mod loaded;
mod memory;
mod order;
mod peer;
mod pitched;
mod stream;
mod symbols;
mod usage;

pub use error::DriverError;
pub use launch::{Attributes, MemSyncDomain};
pub use loaded::Loaded;
pub use memory::GpuMemory;
pub use order::Order;
pub(crate) use stream::{CudaEvents, GpuStream, Panics, run_caught, take_panic};

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

pub use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUdevice_attribute as Attr};
use cudarc::driver::{CudaContext, CudaEvent};

use crate::launch::LaunchError;

/// Kernels that one device has loaded, by kernel type.
type LoadedByKernel = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

/// One CUDA GPU.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    ordinal: usize,
    name: String,
    limits: Limits,
    loaded: RwLock<LoadedByKernel>,
    /// Loaded kernels that can fault.
    faulting: Mutex<Vec<Arc<Loaded>>>,
    statics: Mutex<symbols::Statics>,
    /// Events that no stream needs any more: one is recorded wherever streams meet.
    events: Mutex<Vec<CudaEvent>>,
    /// Where memory is freed that several streams used, so that none of them waits for the others.
    freeing: OnceLock<Arc<CudaStream>>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gpu({}: {})", self.ordinal, self.name)
    }
}

/// What a device can do, as the driver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Compute capability.
    pub compute: (u32, u32),
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Threads in a block, in each dimension.
    pub block: [u32; 3],
    /// Blocks in a grid, in each dimension.
    pub grid: [u32; 3],
    /// Bytes of shared memory of a block, opt-in.
    pub shared_opt_in: usize,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Memory synchronization domains.
    pub mem_sync_domains: u32,
    /// Whether clusters can be launched.
    pub clusters: bool,
    /// Whether cooperative launches are possible.
    pub cooperative: bool,
    /// Whether the host may use managed memory while kernels run.
    pub concurrent_managed: bool,
}

impl Gpu {
    /// The GPU of an ordinal; one value for the whole process.
    ///
    /// # Errors
    /// [`DriverError::Missing`] without a driver, [`DriverError::NoDevice`] without that GPU.
    pub fn open(ordinal: usize) -> Result<Arc<Self>, DriverError> {
        static GPUS: Mutex<Vec<Arc<Gpu>>> = Mutex::new(Vec::new());
        let mut gpus = GPUS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gpu) = gpus.iter().find(|gpu| gpu.ordinal == ordinal) {
            return Ok(gpu.clone());
        }
        let gpu = Arc::new(Self::new(ordinal)?);
        gpus.push(gpu.clone());
        Ok(gpu)
    }

    fn new(ordinal: usize) -> Result<Self, DriverError> {
        static PRESENT: OnceLock<bool> = OnceLock::new();
        // SAFETY: opens and closes the driver by name; its initialisers are NVIDIA's.
        if !*PRESENT.get_or_init(|| unsafe { sys::is_culib_present() }) {
            return Err(DriverError::Missing);
        }
        if let Err(error) = cudarc::driver::result::init() {
            let count = 0;
            return match error.0 {
                sys::CUresult::CUDA_ERROR_NO_DEVICE => Err(DriverError::NoDevice { ordinal, count }),
                _ => Err(DriverError::cuda("cuInit", &error)),
            };
        }
        let count =
            CudaContext::device_count().map_err(|e| DriverError::cuda("cuDeviceGetCount", &e))? as usize;
        if ordinal >= count {
            return Err(DriverError::NoDevice { ordinal, count });
        }
        let context =
            CudaContext::new(ordinal).map_err(|e| DriverError::cuda("cuDevicePrimaryCtxRetain", &e))?;
        let name = context.name().map_err(|e| DriverError::cuda("cuDeviceGetName", &e))?;
        let limits = limits(&context)?;
        let stream = context.default_stream();
        Ok(Self {
            context,
            stream,
            ordinal,
            name,
            limits,
            loaded: RwLock::default(),
            faulting: Mutex::default(),
            statics: Mutex::default(),
            events: Mutex::default(),
            freeing: OnceLock::new(),
        })
    }

    /// Its ordinal.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it can do.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// cudarc's context, which candle and others share.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The stream that launches without `.on(…)` use.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    pub(super) fn bind(&self) -> Result<(), DriverError> {
        self.context.bind_to_thread().map_err(DriverError::at("cuCtxSetCurrent"))
    }

    /// Keeps an error that a `drop` cannot return; cudarc's next call in this context does.
    pub(super) fn keep_error(&self, result: Result<(), DriverError>) {
        if let Err(DriverError::Cuda { code, .. }) = result {
            self.context.record_err::<()>(Err(cudarc::driver::DriverError(code)));
        }
    }

    /// Makes a stream wait for everything that is queued on another, if it is another.
    pub(super) fn join_other(&self, waiter: &CudaStream, on: &CudaStream) -> Result<(), DriverError> {
        if stream_id(waiter) == stream_id(on) { Ok(()) } else { self.join(waiter, on) }
    }

    /// Makes a stream wait for everything that is queued on another.
    pub(super) fn join(&self, waiter: &CudaStream, on: &CudaStream) -> Result<(), DriverError> {
        let known = if on.context() == &self.context {
            self.events.lock().unwrap_or_else(PoisonError::into_inner).pop()
        } else {
            None
        };
        let event = match known {
            Some(event) => event,
            None => on.context().new_event(None).map_err(DriverError::at("cuEventCreate"))?,
        };
        event.record(on).map_err(DriverError::at("cuEventRecord"))?;
        waiter.wait(&event).map_err(DriverError::at("cuStreamWaitEvent"))?;
        // The wait keeps what was recorded; recording the event anew does not change it.
        if on.context() == &self.context {
            self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
        Ok(())
    }

    /// A stream that comes after everything queued on these.
    pub(super) fn joined(&self, streams: Vec<Arc<CudaStream>>) -> Result<Arc<CudaStream>, DriverError> {
        let here = |stream: &CudaStream| stream.context() == &self.context;
        match streams.as_slice() {
            [] => return Ok(self.stream.clone()),
            [only] if here(only) => return Ok(only.clone()),
            _ => {}
        }
        let freeing = match self.freeing.get() {
            Some(freeing) => freeing,
            None => {
                let new = self.context.new_stream().map_err(DriverError::at("cuStreamCreate"))?;
                self.freeing.get_or_init(|| new)
            }
        };
        streams.iter().try_for_each(|stream| self.join(freeing, stream))?;
        Ok(freeing.clone())
    }

    /// Waits for the device.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.context.synchronize().map_err(|e| DriverError::cuda("cuCtxSynchronize", &e))
    }

    /// The first fault of a kernel since the last call; the kernel can be launched again after it.
    pub(crate) fn take_fault(&self) -> Result<(), LaunchError> {
        let faulting = self.faulting.lock().unwrap_or_else(PoisonError::into_inner);
        match faulting.iter().find_map(|loaded| loaded.take_fault()) {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

/// What tells streams apart: the driver's handle, which two streams alive at once never share, and
/// for a context's null stream a number that is no handle's.
pub(super) fn stream_id(stream: &CudaStream) -> u64 {
    match stream.cu_stream() as u64 {
        0 | 1 => (stream.context().ordinal() as u64 + 1) * 16,
        handle => handle,
    }
}

fn limits(context: &CudaContext) -> Result<Limits, DriverError> {
    let get = |attribute: Attr| {
        context
            .attribute(attribute)
            .map(|value| u32::try_from(value).unwrap_or(0))
            .map_err(|e| DriverError::cuda("cuDeviceGetAttribute", &e))
    };
    Ok(Limits {
        compute: (
            get(Attr::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        threads_per_block: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        block: [
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        grid: [
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        shared_opt_in: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as usize,
        multiprocessors: get(Attr::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        mem_sync_domains: get(Attr::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT)?,
        clusters: get(Attr::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? != 0,
        cooperative: get(Attr::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        concurrent_managed: get(Attr::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)? != 0,
    })
}
