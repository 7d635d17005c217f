//! The errors of the driver layer.

use cudarc::driver::sys::CUresult;

use crate::argument::MemoryPlace;

/// The way out if there is no GPU.
const WITHOUT_A_GPU: &str = if cfg!(feature = "simulator") {
    "use `Device::simulator()`"
} else {
    "enable the feature `simulator` of `warpsmith`, and use `Device::simulator()`"
};

/// A missing driver or device, a wrong use of memory, or an error of the CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// There is no CUDA driver.
    #[error(
        "the CUDA driver is missing: libcuda is not on the library path; install the NVIDIA driver, or {}",
        WITHOUT_A_GPU
    )]
    Missing,
    /// The simulator was asked for in a program that was built without it.
    #[error(
        "this program was built without the simulator, which `WARPSMITH_DEVICE=simulator` asks for; enable the feature \
         `simulator` of `warpsmith`, or run it on a GPU"
    )]
    NoSimulator,
    /// There is no such GPU.
    #[error("there is no GPU {ordinal}: the driver sees {count}; {}", WITHOUT_A_GPU)]
    NoDevice {
        /// The one asked for.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// More bytes than an address space has.
    #[error("{elements} elements are more than memory can hold")]
    TooLarge {
        /// The requested number of elements.
        elements: usize,
    },
    /// More simulated memory than the host has.
    #[error(
        "the simulator cannot allocate {bytes} bytes: its memory is the host's, which has {limit} bytes, and {taken} of \
         them are simulated memory already; use smaller buffers"
    )]
    HostMemory {
        /// Bytes that were asked for.
        bytes: usize,
        /// Bytes that simulated memory has already.
        taken: usize,
        /// Bytes of the host.
        limit: usize,
    },
    /// The driver lacks a function.
    #[error(
        "the CUDA driver has no `{symbol}`: libcuda on the library path is too old, or a stub to link with; install the NVIDIA \
         driver of CUDA {since} or later and take stubs off LD_LIBRARY_PATH, or {}",
        WITHOUT_A_GPU
    )]
    Symbol {
        /// The function.
        symbol: &'static str,
        /// The first CUDA version whose driver has it.
        since: &'static str,
    },
    /// A copy between memory of different lengths.
    #[error("the buffer has {buffer} elements, the host slice {host}; they must be equal")]
    Length {
        /// Elements of the buffer.
        buffer: usize,
        /// Elements of the host slice.
        host: usize,
    },
    /// Memory of another device.
    #[error("this memory is on {memory}, the device is {device}; copy it through the host")]
    WrongDevice {
        /// The place of the memory.
        memory: MemoryPlace,
        /// The device that it was used with.
        device: MemoryPlace,
    },
    /// A stream or memory of another CUDA context.
    #[error(
        "this {what} belongs to another CUDA context of the same GPU; use the primary context, `gpu.context()`"
    )]
    OtherContext {
        /// `stream` or `memory`.
        what: &'static str,
    },
    /// The per-thread default stream, which is another stream on each thread.
    #[error(
        "the per-thread default stream is a different stream on each thread, so its uses of memory cannot be told apart; use `device.stream()`"
    )]
    PerThreadStream,
    /// A stream or event of another device.
    #[error("this {what} is of {owner}, the device is {device}; make one with that device")]
    OtherDevice {
        /// `stream` or `event`.
        what: &'static str,
        /// Whose it is.
        owner: MemoryPlace,
        /// The device that it was used with.
        device: MemoryPlace,
    },
    /// A priority that streams of the device do not have.
    #[error("a stream's priority is {priority}; this device has {greatest} (first) to {least} (last)")]
    Priority {
        /// The one asked for.
        priority: i32,
        /// The largest number.
        least: i32,
        /// The smallest number.
        greatest: i32,
    },
    /// The host function of a stream panicked.
    #[error("a function passed to `stream.then` panicked: {message}")]
    Callback {
        /// Its message.
        message: String,
    },
    /// An event without timing, or one that was not recorded.
    #[error("the event {why}; {way}")]
    NoTime {
        /// The missing part.
        why: &'static str,
        /// The way out.
        way: &'static str,
    },
    /// A range beyond the end of memory.
    #[error("the range {start}..{end} is not within the {len} elements of the memory")]
    Range {
        /// Its first element.
        start: usize,
        /// Its end.
        end: usize,
        /// Elements of the memory.
        len: usize,
    },
    /// A copy between boxes of different extents.
    #[error("a box of {from:?} (planes, rows, columns) does not fill one of {to:?}; they must be equal")]
    Extents {
        /// The box that is read.
        from: [usize; 3],
        /// The box that is written.
        to: [usize; 3],
    },
    /// Rows that are too far apart for a copy.
    #[error(
        "rows of {bytes} bytes are above the device's largest pitch of {limit}; use more and shorter rows"
    )]
    Pitch {
        /// Bytes of a row with its padding.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A feature that the simulator, or this GPU, does not have.
    #[error("{what} is not available on {place}: {why}")]
    Unavailable {
        /// The requested feature.
        what: &'static str,
        /// Where.
        place: MemoryPlace,
        /// Why not, and what to do.
        why: &'static str,
    },
    /// A kernel caused an error that destroys the context; every later call on this GPU fails too.
    #[error(
        "the CUDA context is lost, seen at {call}: {name} ({text}); a kernel launched before did this: restart the process, and \
         launch with checks or run on `Device::simulator()` to find it"
    )]
    ContextLost {
        /// The call that reported it, possibly long after it happened.
        call: &'static str,
        /// `CUDA_ERROR_…`.
        name: String,
        /// The driver's words.
        text: String,
    },
    /// A stream of another GPU.
    #[error("the stream is of GPU {stream}, the device is GPU {device}; use a stream of that GPU")]
    WrongStream {
        /// The stream's GPU.
        stream: usize,
        /// The device.
        device: usize,
    },
    /// More of the L2 cache than can be set aside.
    #[error("{bytes} bytes of persisting L2 cache are above the device's limit of {limit}; set fewer aside")]
    PersistingL2 {
        /// Bytes asked for.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The driver's error.
    #[error("the CUDA driver failed at {call}: {name} ({text}){hint}")]
    Cuda {
        /// The call.
        call: &'static str,
        /// The driver's number for it.
        code: CUresult,
        /// `CUDA_ERROR_…`.
        name: String,
        /// The driver's words.
        text: String,
        /// The way out, if there is one.
        hint: &'static str,
    },
}
