//! The answers of the CUDA driver, as errors.

use cudarc::driver::sys::CUresult;

pub use crate::error::DriverError;

impl DriverError {
    /// Turns the driver's error at a call into this.
    pub(crate) fn at(call: &'static str) -> impl Fn(cudarc::driver::DriverError) -> Self {
        move |error| Self::cuda(call, &error)
    }

    /// The driver's error at a call.
    pub(crate) fn cuda(call: &'static str, error: &cudarc::driver::DriverError) -> Self {
        let said = |s: &std::ffi::CStr| s.to_string_lossy().into_owned();
        let name = error.error_name().map_or_else(|_| format!("error {}", error.0 as u32), said);
        let text =
            error.error_string().map_or_else(|_| "the driver does not say what that is".to_owned(), said);
        if is_sticky(error.0) {
            return Self::ContextLost { call, name, text };
        }
        let hint = match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => "; free or shrink buffers",
            _ => "",
        };
        Self::Cuda { call, code: error.0, name, text, hint }
    }
}

/// Returns whether an error stays: the driver then refuses all that follows in the process.
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
