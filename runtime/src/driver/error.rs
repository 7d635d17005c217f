//! What the driver layer refuses.

use cudarc::driver::sys::CUresult;

use crate::args::Place;

/// A missing driver or device, a wrong use of memory, or an error of the CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// There is no CUDA driver.
    #[error(
        "the CUDA driver is missing: libcuda is not on the library path; install the NVIDIA driver, or use `Device::simulator()`"
    )]
    Missing,
    /// There is no such GPU.
    #[error(
        "there is no GPU {ordinal}: the driver sees {count}; use `Device::simulator()` to run without one"
    )]
    NoDevice {
        /// The one asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// More bytes than an address space has.
    #[error("{elements} elements are more than memory can hold")]
    TooLarge {
        /// How many were asked for.
        elements: usize,
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
        /// Where the memory is.
        memory: Place,
        /// What it was used with.
        device: Place,
    },
    /// A kernel did what no context survives; every later call on this GPU fails too.
    #[error(
        "the CUDA context is lost, seen at {call}: {name} ({text}); a kernel launched before did this: restart the process, and \
         launch with checks or run on `Device::simulator()` to find it"
    )]
    ContextLost {
        /// Where it was noticed, which may be long after it happened.
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
    /// A stream where there are none.
    #[error("the simulator has no streams; use `launch` there")]
    NoStreams,
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
        /// What was being done.
        call: &'static str,
        /// `CUDA_ERROR_…`.
        name: String,
        /// The driver's words.
        text: String,
        /// What to do, if there is something to say.
        hint: &'static str,
    },
}

impl DriverError {
    /// The driver's error at a call.
    pub(crate) fn cuda(call: &'static str, error: &cudarc::driver::DriverError) -> Self {
        let text = |s: Result<&std::ffi::CStr, _>| {
            s.map_or_else(
                |_: cudarc::driver::DriverError| "?".to_owned(),
                |s| s.to_string_lossy().into_owned(),
            )
        };
        let (name, text) = (text(error.error_name()), text(error.error_string()));
        if is_sticky(error.0) {
            return Self::ContextLost { call, name, text };
        }
        let hint = match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => "; free or shrink buffers",
            _ => "",
        };
        Self::Cuda { call, name, text, hint }
    }
}

/// Whether an error stays: the driver then refuses all that follows in the process.
///
/// Source: CUDA Driver API, `CUresult`: errors that leave "the process in an inconsistent state".
fn is_sticky(error: CUresult) -> bool {
    matches!(
        error,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
    )
}
