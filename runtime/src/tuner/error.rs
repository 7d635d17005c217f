//! What a search refuses, and which errors mean that a candidate does not fit.

use crate::driver::DriverError;
use crate::error::Error;
use crate::launch::LaunchError;
use crate::nvrtc::NvrtcError;

/// Why a search has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TunerError {
    /// An axis without values.
    #[error("axis `{axis}` has no values, so there is no candidate; give it at least one")]
    Empty {
        /// The axis.
        axis: String,
    },
    /// An axis of another search.
    #[error("axis `{axis}` is not of this search; use the axes that this `Tuner` gave")]
    Axis {
        /// The axis.
        axis: String,
    },
    /// A closure that does not launch exactly once.
    #[error("candidate {candidate}: the closure launched {launches} times; call `trial.launch(…)` once")]
    Launches {
        /// The candidate.
        candidate: String,
        /// How often it launched.
        launches: u32,
    },
    /// No candidate fits.
    #[error("search `{name}`: none of {count} candidates fits the device; the first, {candidate}: {reason}")]
    NoneFits {
        /// The search.
        name: String,
        /// How many candidates there were.
        count: usize,
        /// The first.
        candidate: String,
        /// Why it does not fit.
        reason: String,
    },
}

/// Errors of the driver that say that a launch is too large.
const TOO_LARGE: [&str; 2] = ["CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "CUDA_ERROR_INVALID_CLUSTER_SIZE"];

/// Whether an error says that a candidate does not fit, and nothing of the others.
pub(super) fn skips(error: &Error) -> bool {
    match error {
        Error::Record(_) | Error::Validate(_) | Error::Nvrtc(NvrtcError::Compile { .. }) => true,
        Error::Launch(LaunchError::Fault { .. }) => false,
        Error::Launch(LaunchError::Driver(error)) | Error::Driver(error) => {
            matches!(error, DriverError::Cuda { name, .. } if TOO_LARGE.contains(&name.as_str()))
        }
        Error::Launch(_) => true,
        _ => false,
    }
}
