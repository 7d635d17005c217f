//! Streams and events: queues of work that run side by side, and points in them.
//!
//! Work on one stream runs in order. Launches and copies on different streams run concurrently, unless they
//! use the same memory and one of them writes it: then the later one waits for the earlier. Waits, callbacks
//! and events order work that shares no memory.
//!
//! On the simulator, every call is complete when it returns.

mod attributes;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::argument::MemoryPlace;
pub use crate::driver::LaunchStream;
use crate::driver::{self, CudaEvents, CudaStream, DriverError, GpuStream, Panics};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::simulator::Statics;

/// A queue of work on one device. Clones are the same stream.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_kernel]
/// fn doubled(x: &mut [u32]) {
///     let i = global_id();
///     if i < x.len() {
///         x[i] *= 2;
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let (left, right) = (device.stream()?, device.stream()?);
/// let mut a = device.upload(&[1u32, 2])?;
/// let mut b = device.upload(&[3u32, 4])?;
/// doubled(&mut a).over(2).on(&left).launch(&device)?;
/// doubled(&mut b).over(2).on(&right).launch(&device)?; // at the same time as `a`'s
/// assert_eq!(device.download(&a)?, [2, 4]); // waits for `left`
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    queue: Queue,
}

#[derive(Clone, Debug)]
enum Queue {
    Gpu(GpuStream),
    Simulator(Arc<SimulatedStream>),
}

/// A stream of the simulator, on which work completes as soon as it is queued.
#[derive(Debug, Default)]
struct SimulatedStream {
    panics: Panics,
    blocking: bool,
    kept: Mutex<attributes::Kept>,
    /// The device statics of its device.
    statics: Arc<Statics>,
}

impl SimulatedStream {
    fn queue(device: &Device, blocking: bool) -> Queue {
        let statics = device.statics().clone();
        Queue::Simulator(Arc::new(Self { blocking, statics, ..Self::default() }))
    }
}

impl From<&Stream> for LaunchStream {
    fn from(stream: &Stream) -> Self {
        match &stream.queue {
            Queue::Gpu(gpu) => Self(Some(gpu.stream.clone())),
            Queue::Simulator(_) => Self(None),
        }
    }
}

impl Device {
    /// A new stream, without implicit order with the device's own stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamCreate`, `CU_STREAM_NON_BLOCKING`.
    pub fn stream(&self) -> Result<Stream> {
        self.new_stream(None)
    }

    /// A new stream of a priority; lower numbers run first.
    ///
    /// # Errors
    /// [`DriverError::Priority`] outside [`Device::stream_priorities`], or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamCreateWithPriority`.
    pub fn stream_with_priority(&self, priority: i32) -> Result<Stream> {
        self.new_stream(Some(priority))
    }

    /// A new stream with an implicit order with the default stream: each waits for the earlier work of
    /// the other.
    ///
    /// For work beside other libraries that rely on that order. Launches and copies of this crate are
    /// ordered by the memory that they use, on every stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamCreate`, `CU_STREAM_DEFAULT`.
    pub fn blocking_stream(&self) -> Result<Stream> {
        let queue = match self.backend() {
            Backend::Gpu(gpu) => Queue::Gpu(gpu.new_blocking_stream()?),
            Backend::Simulator => SimulatedStream::queue(self, true),
        };
        Ok(Stream { queue })
    }

    fn new_stream(&self, priority: Option<i32>) -> Result<Stream> {
        let queue = match (self.backend(), priority) {
            (Backend::Gpu(gpu), _) => Queue::Gpu(gpu.new_stream(priority)?),
            (Backend::Simulator, None | Some(0)) => SimulatedStream::queue(self, false),
            (Backend::Simulator, Some(priority)) => {
                return Err(DriverError::Priority { priority, least: 0, greatest: 0 }.into());
            }
        };
        Ok(Stream { queue })
    }

    /// The stream of launches without `.on(…)`, of `upload` and of `download`: CUDA's default stream.
    pub fn default_stream(&self) -> Stream {
        let queue = match self.backend() {
            Backend::Gpu(gpu) => Queue::Gpu(gpu.wrap(gpu.stream().clone())),
            Backend::Simulator => SimulatedStream::queue(self, true),
        };
        Stream { queue }
    }

    /// The lowest and the highest priority of a stream: `(0, -5)` on current GPUs, `(0, 0)` on the simulator.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuCtxGetStreamPriorityRange`.
    pub fn stream_priorities(&self) -> Result<(i32, i32)> {
        match self.backend() {
            Backend::Gpu(gpu) => Ok(gpu.priorities()?),
            Backend::Simulator => Ok((0, 0)),
        }
    }
}

impl Stream {
    /// The device statics of a simulator's stream.
    pub(crate) fn statics(&self) -> Arc<Statics> {
        match &self.queue {
            Queue::Gpu(_) => Arc::default(),
            Queue::Simulator(simulated) => simulated.statics.clone(),
        }
    }

    /// Blocks until everything queued so far is done.
    ///
    /// # Errors
    /// A fault of a kernel, a panic of a function given to [`Stream::then`], or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSynchronize`.
    pub fn synchronize(&self) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => {
                stream.synchronize()?;
                Ok(stream.gpu.take_fault()?)
            }
            Queue::Simulator(stream) => Ok(driver::take_panic(&stream.panics)?),
        }
    }

    /// Returns whether everything queued so far is done.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamQuery`.
    pub fn is_done(&self) -> Result<bool> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.is_done()?),
            Queue::Simulator(_) => Ok(true),
        }
    }

    /// Its priority, as the driver reports it.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetPriority`.
    pub fn priority(&self) -> Result<i32> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.priority()?),
            Queue::Simulator(_) => Ok(0),
        }
    }

    /// A point after everything queued so far, which records the time at which it is reached.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuEventRecord`.
    pub fn record(&self) -> Result<Event> {
        self.record_as(true)
    }

    /// A point after everything queued so far, without the time: cheaper to wait for.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `CU_EVENT_DISABLE_TIMING`.
    pub fn record_untimed(&self) -> Result<Event> {
        self.record_as(false)
    }

    fn record_as(&self, timed: bool) -> Result<Event> {
        let point = match &self.queue {
            Queue::Gpu(stream) => Point::Gpu(stream.record(timed)?),
            Queue::Simulator(_) => Point::Simulator(timed.then(Instant::now)),
        };
        Ok(Event { point })
    }

    /// Makes work that is queued from now on wait for an event, on any stream of any GPU.
    ///
    /// # Errors
    /// An event of the simulator on a GPU or the reverse, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamWaitEvent`.
    pub fn wait(&self, event: &Event) -> Result<()> {
        match (&self.queue, &event.point) {
            (Queue::Gpu(stream), Point::Gpu(event)) => Ok(stream.wait(event)?),
            (Queue::Simulator(_), Point::Simulator(_)) => Ok(()),
            (..) => {
                let (owner, device) = (event.place(), self.place());
                Err(DriverError::OtherDevice { what: "event", owner, device }.into())
            }
        }
    }

    /// Calls a function on a driver thread once everything queued so far is done. Work that is queued later
    /// waits for it.
    ///
    /// The function must not use a device, nor drop anything that does: the driver forbids it and may
    /// block forever. If it panics, the next [`Stream::synchronize`] of this handle or a clone returns an
    /// error. After a lost context it is never called.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuLaunchHostFunc`.
    pub fn then(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.then(Box::new(function))?),
            Queue::Simulator(stream) => {
                driver::run_caught(function, &stream.panics);
                Ok(())
            }
        }
    }

    /// The GPU's stream; `None` on the simulator.
    pub(crate) fn on_gpu(&self) -> Option<&GpuStream> {
        match &self.queue {
            Queue::Gpu(stream) => Some(stream),
            Queue::Simulator(_) => None,
        }
    }

    /// The device on which it queues work.
    pub(crate) fn place(&self) -> MemoryPlace {
        match &self.queue {
            Queue::Gpu(stream) => MemoryPlace::Gpu(stream.gpu.ordinal()),
            Queue::Simulator(_) => MemoryPlace::Simulator,
        }
    }

    /// cudarc's stream, for other libraries; `None` on the simulator.
    pub fn as_cuda(&self) -> Option<&Arc<CudaStream>> {
        match &self.queue {
            Queue::Gpu(stream) => Some(&stream.stream),
            Queue::Simulator(_) => None,
        }
    }
}

/// A point in a stream.
#[derive(Debug)]
pub struct Event {
    point: Point,
}

#[derive(Debug)]
enum Point {
    Gpu(CudaEvents),
    Simulator(Option<Instant>),
}

impl Event {
    /// Returns whether it has been reached.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuEventQuery`.
    pub fn is_done(&self) -> Result<bool> {
        match &self.point {
            Point::Gpu(event) => Ok(event.is_done()?),
            Point::Simulator(_) => Ok(true),
        }
    }

    /// Blocks until it is reached.
    ///
    /// # Errors
    /// A fault of a kernel, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuEventSynchronize`.
    pub fn synchronize(&self) -> Result<()> {
        match &self.point {
            Point::Gpu(event) => {
                event.synchronize()?;
                Ok(event.gpu.take_fault()?)
            }
            Point::Simulator(_) => Ok(()),
        }
    }

    /// The time from this event to a later one of the same device; waits for both. The GPU's clock
    /// has a resolution of about half a microsecond.
    ///
    /// # Errors
    /// [`DriverError::NoTime`] for an event of [`Stream::record_untimed`], an event of another
    /// device, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuEventElapsedTime`.
    pub fn elapsed(&self, later: &Event) -> Result<Duration> {
        const UNTIMED: DriverError =
            DriverError::NoTime { why: "keeps no time", way: "record it with `stream.record()`" };
        match (&self.point, &later.point) {
            (Point::Gpu(start), Point::Gpu(end)) if start.timed && end.timed => {
                let milliseconds = start.milliseconds_to(end)?;
                Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
            }
            (Point::Simulator(Some(start)), Point::Simulator(Some(end))) => Ok(end.duration_since(*start)),
            (Point::Gpu(_), Point::Gpu(_)) | (Point::Simulator(_), Point::Simulator(_)) => {
                Err(UNTIMED.into())
            }
            (..) => {
                let (owner, device) = (later.place(), self.place());
                Err(DriverError::OtherDevice { what: "event", owner, device }.into())
            }
        }
    }

    fn place(&self) -> MemoryPlace {
        match &self.point {
            Point::Gpu(event) => MemoryPlace::Gpu(event.gpu.ordinal()),
            Point::Simulator(_) => MemoryPlace::Simulator,
        }
    }
}
