//! The CUDA driver through cudarc: contexts, memory, loaded kernels, launches.
//!
//! Only this module and `nvrtc` name cudarc. A missing library is an error, never a panic.

mod cudarc_args;
mod error;
mod fault;
mod launch;
mod loaded;
mod memory;
mod symbols;

pub use error::DriverError;
pub use launch::{Attributes, MemSyncDomain};
pub use loaded::Loaded;
pub use memory::GpuMemory;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use cudarc::driver::CudaContext;
pub use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUdevice_attribute as Attr};

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

    /// Waits for the device.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.context.synchronize().map_err(|e| DriverError::cuda("cuCtxSynchronize", &e))
    }

    /// How many launches by kernels may wait at once.
    pub(crate) fn set_pending_launches(&self, launches: usize) -> Result<(), DriverError> {
        self.context.bind_to_thread().map_err(|e| DriverError::cuda("cuCtxSetCurrent", &e))?;
        let limit = sys::CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        // SAFETY: a context is bound; the limit is a number.
        let set = unsafe { sys::cuCtxSetLimit(limit, launches) };
        set.result().map_err(|e| DriverError::cuda("cuCtxSetLimit", &e))
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
    })
}
