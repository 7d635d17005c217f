//! The CUDA driver through cudarc: contexts, memory, loaded kernels, launches.
//!
//! Only this module and `nvrtc` name cudarc. A missing library is an error, never a panic.

mod array;
mod attribute_checks;
mod attributes;
mod context_settings;
mod error;
mod fault;
mod graph;
mod host;
mod image_limits;
mod kept;
mod launch;
mod limits;
mod loaded;
mod memory;
mod models;
mod occupancy;
mod order;
mod peer;
mod persisting;
mod pitched;
mod required;
mod resources;
mod shadow;
mod stream;
mod stream_attributes;
mod symbols;
mod table;
mod tensor_map;
mod texture;
mod timing;
mod usage;

pub(crate) use array::{ArrayForm, GpuArray};
pub(crate) use attribute_checks::{check_carveout, check_domain_map, check_window};
pub use attributes::{
    AccessProperty, AccessWindow, Attributes, CachePreference, Carveout, ClusterScheduling, MemSyncDomain,
};
pub use error::DriverError;
pub(crate) use graph::GraphExec;
pub use host::{Advice, Pinned};
pub use image_limits::ImageLimits;
pub use kept::KeptAttributes;
pub use limits::Limits;
pub(crate) use limits::parameter_bytes;
pub use loaded::Loaded;
pub(crate) use loaded::Recorded;
pub(crate) use memory::{GpuMemory, GpuPart};
pub(crate) use order::{is_everywhere, of_slice, of_slice_mut, of_view, of_view_mut};
pub(crate) use pitched::GpuBox;
pub use stream::LaunchStream;
pub(crate) use stream::{CudaEvents, GpuStream, Panics, run_caught, take_panic};
pub use stream_attributes::SyncPolicy;
pub(crate) use table::{Shown, Table, Version};
pub use tensor_map::Promotion;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::CudaContext;
use cudarc::driver::sys;
pub use cudarc::driver::{CudaEvent, CudaStream};
pub(crate) use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice};

use crate::error::LaunchError;

/// One CUDA GPU.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    ordinal: usize,
    name: String,
    limits: Limits,
    loaded: table::Table<Arc<Loaded>>,
    /// Kernels before they are compiled, with [`Checks::None`](crate::codegen::Checks) in the place of checks.
    recorded: table::Table<loaded::Recorded>,
    faults: fault::Faults,
    /// The shadows of memory whose reads are checked.
    shadows: shadow::Shadows,
    statics: Mutex<symbols::Statics>,
    /// Events that no stream needs any more: one is recorded wherever streams meet.
    events: Mutex<Vec<CudaEvent>>,
    /// Streams that keep an order with the null stream.
    blocking: Mutex<stream::BlockingStreams>,
    /// The GPUs whose memory this one reaches.
    peers: peer::Peers,
    /// The stream on which memory is freed that several streams used; none of them waits for the others.
    freeing: OnceLock<Arc<CudaStream>>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gpu({}: {})", self.ordinal, self.name)
    }
}

/// Opens the driver under the one name by which cuda-gdb notices it, for the rest of the process.
///
/// cudarc then asks for the same file by another name, and gets what is open.
fn open_as_debuggers_know_it() {
    static OPEN: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: the driver's initialisers are NVIDIA's, and it is never closed.
    OPEN.get_or_init(|| unsafe { libloading::Library::new("libcuda.so.1") }.ok());
}

impl Gpu {
    /// The GPU of an ordinal; one value for the whole process.
    ///
    /// # Errors
    /// [`DriverError::Missing`] without a driver, [`DriverError::Symbol`] with one that is too old,
    /// [`DriverError::NoDevice`] without that GPU.
    pub fn open(ordinal: usize) -> Result<Arc<Self>, DriverError> {
        Self::open_while(ordinal, || {})
    }

    /// Like [`Gpu::open`]; starts other work while the driver opens.
    pub(crate) fn open_while(ordinal: usize, meanwhile: fn()) -> Result<Arc<Self>, DriverError> {
        static GPUS: Mutex<Vec<Arc<Gpu>>> = Mutex::new(Vec::new());
        let mut gpus = GPUS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gpu) = gpus.iter().find(|gpu| gpu.ordinal == ordinal) {
            return Ok(gpu.clone());
        }
        let gpu = Arc::new(Self::new(ordinal, meanwhile)?);
        gpus.push(gpu.clone());
        Ok(gpu)
    }

    fn new(ordinal: usize, meanwhile: fn()) -> Result<Self, DriverError> {
        open_as_debuggers_know_it();
        required::check()?;
        meanwhile();
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
        let limits = Limits::of_context(&context)?;
        let faults = fault::Faults::new(&context)?;
        let stream = context.default_stream();
        Ok(Self {
            context,
            stream,
            ordinal,
            name,
            limits,
            loaded: table::Table::default(),
            recorded: table::Table::default(),
            faults,
            shadows: shadow::Shadows::default(),
            statics: Mutex::default(),
            events: Mutex::default(),
            blocking: Mutex::default(),
            peers: peer::Peers::default(),
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

    /// Its features and limits.
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

    /// Sets the number of launches by kernels that may wait at once.
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

/// A number that tells streams apart: the driver's handle, which two streams alive at once never share, and for a context's
/// null stream a number that is no handle's.
pub(super) fn stream_id(stream: &CudaStream) -> u64 {
    match stream.cu_stream() as u64 {
        0 | 1 => (stream.context().ordinal() as u64 + 1) * 16,
        handle => handle,
    }
}
