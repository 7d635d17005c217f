//! The CUDA driver through cudarc: contexts, memory, loaded kernels, launches.
//!
//! Only this module and `nvrtc` name cudarc. A missing library is an error, never a panic.

mod attributes;
mod cudarc_args;
mod error;
mod fault;
mod graph;
mod launch;
mod limits;
mod loaded;
mod memory;
mod occupancy;
mod persisting;
mod resources;
mod stream_attributes;
mod symbols;
mod table;
mod timing;

pub use attributes::{
    AccessProperty, AccessWindow, Attributes, CachePreference, Carveout, ClusterScheduling, MemSyncDomain,
};
pub use error::DriverError;
pub(crate) use graph::GraphExec;
pub use limits::Limits;
pub(crate) use limits::parameter_bytes;
pub use loaded::Loaded;
pub use memory::GpuMemory;
pub use stream_attributes::SyncPolicy;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::CudaContext;
use cudarc::driver::sys;
pub use cudarc::driver::{CudaEvent, CudaStream};

use crate::ir::Condition;
use crate::launch::LaunchError;

/// One CUDA GPU.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    ordinal: usize,
    name: String,
    limits: Limits,
    loaded: table::Table<Arc<Loaded>>,
    /// What launches of kernels may fulfil, with [`Checks::None`] in the place of checks.
    conditions: table::Table<Vec<Condition>>,
    faults: fault::Faults,
    statics: Mutex<symbols::Statics>,
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
        let limits = Limits::of(&context)?;
        let faults = fault::Faults::new(&context)?;
        let stream = context.default_stream();
        Ok(Self {
            context,
            stream,
            ordinal,
            name,
            limits,
            loaded: table::Table::default(),
            conditions: table::Table::default(),
            faults,
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
    #[inline]
    pub(crate) fn take_fault(&self) -> Result<(), LaunchError> {
        if self.faults.any() { self.take_known_fault() } else { Ok(()) }
    }

    #[cold]
    fn take_known_fault(&self) -> Result<(), LaunchError> {
        let fault = self.faults.clear(|| {
            let fault = self.loaded.iter().find_map(|loaded| loaded.take_fault());
            let more = fault.is_some();
            (fault, more)
        });
        fault.map_or(Ok(()), Err)
    }
}
