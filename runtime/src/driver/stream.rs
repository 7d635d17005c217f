//! Streams of one GPU, their events and host functions.

use std::any::Any;
use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaEvent, CudaStream, result};

use super::memory::driver;
use super::{DriverError, Gpu};

/// The stream of a launch: what `.on(…)` takes, a `&Stream` or cudarc's `&Arc<CudaStream>`.
#[derive(Clone, Debug)]
pub struct LaunchStream(pub(crate) Option<Arc<CudaStream>>);

impl From<&Arc<CudaStream>> for LaunchStream {
    fn from(stream: &Arc<CudaStream>) -> Self {
        Self(Some(stream.clone()))
    }
}

/// A stream of one GPU.
#[derive(Clone, Debug)]
pub(crate) struct GpuStream {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) stream: Arc<CudaStream>,
    panics: Panics,
}

/// The message of the first host function that panicked, until it is reported.
pub(crate) type Panics = Arc<Mutex<Option<String>>>;

/// An event, and whether it keeps the time.
#[derive(Debug)]
pub(crate) struct CudaEvents {
    event: CudaEvent,
    pub(crate) timed: bool,
    pub(crate) gpu: Arc<Gpu>,
}

/// A host function on its way through a stream.
struct HostFunction {
    run: Box<dyn FnOnce() + Send>,
    panics: Panics,
}

unsafe extern "C" fn run_host_function(data: *mut c_void) {
    // SAFETY: `then` made this pointer of a box, and the driver calls once.
    let function = unsafe { Box::from_raw(data.cast::<HostFunction>()) };
    run_caught(function.run, &function.panics);
}

/// Runs a function; a panic is kept for the next who waits.
pub(crate) fn run_caught(run: impl FnOnce(), panics: &Panics) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
        let message = said(&*panic);
        panics.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// The error of a host function that panicked since the last call.
pub(crate) fn take_panic(panics: &Panics) -> Result<(), DriverError> {
    match panics.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(message) => Err(DriverError::Callback { message }),
        None => Ok(()),
    }
}

impl Gpu {
    /// Lowest and highest priority of streams; lower numbers run first.
    pub(crate) fn priorities(&self) -> Result<(i32, i32), DriverError> {
        self.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are writable, and the context is bound.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        driver("cuCtxGetStreamPriorityRange", result)?;
        Ok((least, greatest))
    }

    /// A new stream, without implicit order with the null stream.
    pub(crate) fn new_stream(self: &Arc<Self>, priority: Option<i32>) -> Result<GpuStream, DriverError> {
        let Some(priority) = priority else {
            let stream = self.context().new_stream().map_err(DriverError::at("cuStreamCreate"))?;
            return Ok(self.wrap(stream));
        };
        let (least, greatest) = self.priorities()?;
        if priority > least || priority < greatest {
            return Err(DriverError::Priority { priority, least, greatest });
        }
        let stream = self.context().new_stream_with_priority(priority);
        Ok(self.wrap(stream.map_err(DriverError::at("cuStreamCreateWithPriority"))?))
    }

    /// A new stream that keeps an implicit order with the null stream.
    pub(crate) fn new_blocking_stream(self: &Arc<Self>) -> Result<GpuStream, DriverError> {
        self.bind()?;
        let kind = result::stream::StreamKind::Default;
        let stream = result::stream::create(kind).map_err(DriverError::at("cuStreamCreate"))?;
        // SAFETY: made just now in this context, and destroyed only once no other owner is left.
        let stream = unsafe { self.context().wrap_borrowed_stream(stream) };
        let mut kept = self.blocking.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain_used();
        kept.0.push(stream.clone());
        Ok(self.wrap(stream))
    }

    /// A stream of this context as ours.
    pub(crate) fn wrap(self: &Arc<Self>, stream: Arc<CudaStream>) -> GpuStream {
        GpuStream { gpu: self.clone(), stream, panics: Panics::default() }
    }

    /// The stream of a launch, if this GPU can use it.
    pub(crate) fn accepts(&self, stream: &CudaStream) -> Result<(), DriverError> {
        if stream.context() != &self.context {
            return Err(DriverError::OtherContext { what: "stream" });
        }
        if stream.cu_stream() as usize == PER_THREAD {
            return Err(DriverError::PerThreadStream);
        }
        Ok(())
    }
}

/// Streams that cudarc cannot make, and so does not destroy. Making another one destroys those that are no longer used.
#[derive(Default)]
pub(super) struct BlockingStreams(Vec<Arc<CudaStream>>);

impl BlockingStreams {
    fn retain_used(&mut self) {
        for stream in mem::take(&mut self.0) {
            match Arc::try_unwrap(stream) {
                // SAFETY: the last handle; the driver ends the stream once its work is done.
                Ok(last) => drop(unsafe { sys::cuStreamDestroy_v2(last.cu_stream()) }),
                Err(used) => self.0.push(used),
            }
        }
    }
}

/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: usize = 2;

impl GpuStream {
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        take_panic(&self.panics)
    }

    pub fn is_done(&self) -> Result<bool, DriverError> {
        self.gpu.bind()?;
        // SAFETY: the stream is alive and its context is bound.
        match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => driver("cuStreamQuery", result).map(|()| true),
        }
    }

    pub fn priority(&self) -> Result<i32, DriverError> {
        self.gpu.bind()?;
        let mut priority = 0;
        // SAFETY: `priority` is writable and the stream is alive.
        let result = unsafe { sys::cuStreamGetPriority(self.stream.cu_stream(), &raw mut priority) };
        driver("cuStreamGetPriority", result)?;
        Ok(priority)
    }

    pub fn is_blocking(&self) -> Result<bool, DriverError> {
        if self.stream.cu_stream().is_null() {
            return Ok(true);
        }
        self.gpu.bind()?;
        let mut flags = 0;
        // SAFETY: `flags` is writable and the stream is alive.
        let result = unsafe { sys::cuStreamGetFlags(self.stream.cu_stream(), &raw mut flags) };
        driver("cuStreamGetFlags", result)?;
        Ok(flags & sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32 == 0)
    }

    pub fn record(&self, timed: bool) -> Result<CudaEvents, DriverError> {
        let flags = timed.then_some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = self.stream.record_event(flags).map_err(DriverError::at("cuEventRecord"))?;
        Ok(CudaEvents { event, timed, gpu: self.gpu.clone() })
    }

    pub fn wait(&self, event: &CudaEvents) -> Result<(), DriverError> {
        self.stream.wait(&event.event).map_err(DriverError::at("cuStreamWaitEvent"))
    }

    pub fn then(&self, run: Box<dyn FnOnce() + Send>) -> Result<(), DriverError> {
        self.gpu.bind()?;
        let data = Box::into_raw(Box::new(HostFunction { run, panics: self.panics.clone() })).cast();
        // SAFETY: the function takes what `data` points to; it never unwinds.
        let result =
            unsafe { result::stream::launch_host_function(self.stream.cu_stream(), run_host_function, data) };
        if result.is_err() {
            // SAFETY: the driver has not taken it.
            drop(unsafe { Box::from_raw(data.cast::<HostFunction>()) });
        }
        result.map_err(DriverError::at("cuLaunchHostFunc"))
    }
}

impl CudaEvents {
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.event.synchronize().map_err(DriverError::at("cuEventSynchronize"))
    }

    pub fn is_done(&self) -> Result<bool, DriverError> {
        self.event.try_is_complete().map_err(DriverError::at("cuEventQuery"))
    }

    /// Milliseconds from this event to a later one; waits for both.
    pub fn milliseconds_to(&self, later: &Self) -> Result<f32, DriverError> {
        super::required::later("cuEventElapsedTime_v2")?;
        self.event.elapsed_ms(&later.event).map_err(DriverError::at("cuEventElapsedTime"))
    }
}
