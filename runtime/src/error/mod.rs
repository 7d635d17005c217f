//! Errors: an enum for each stage, and one that combines them.

mod driver;
mod dump;
mod graph;
mod image;
mod launch;
mod report;
mod tensor_map;
mod tuner;

pub use crate::cache::BundleError;
pub use driver::DriverError;
pub use dump::DumpError;
pub use graph::GraphError;
pub use image::ImageError;
pub use launch::LaunchError;
pub use report::ReportError;
pub(crate) use tensor_map::dimension;
pub use tensor_map::{Extents, TensorMapError};
pub use tuner::TunerError;

use std::fmt;

use crate::nvrtc::NvrtcError;
pub use crate::passes::{CoarsenRefusal, NotCoarsened};
use crate::record::RecordError;
use crate::settings::SettingError;
use crate::simulator::SimFault;
use crate::validate::ValidateError;

/// An error between a kernel's source and its results.
///
/// `{:?}` prints the message too, since a `main` that returns a [`Result`] and `unwrap` print errors by it. Only the errors
/// of the stages, such as [`LaunchError`], print their fields.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel uses something that the kernel language does not have.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The kernel could hang, or no device can run it.
    #[error(transparent)]
    Validate(#[from] ValidateError),
    /// The kernel cannot be coarsened, as its attribute or a launch asks.
    #[error(transparent)]
    Coarsen(#[from] NotCoarsened),
    /// The CUDA did not compile, or NVRTC is missing.
    #[error(transparent)]
    Nvrtc(#[from] NvrtcError),
    /// The CUDA driver refused something, or is missing.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The launch was refused, or the kernel faulted on the GPU.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// An environment variable has an invalid value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A requested dump cannot be written.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// A bundle of kernels is invalid, or cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A graph was built incorrectly.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There is no such image, texture or surface.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// There is no such tensor map.
    #[error(transparent)]
    TensorMap(#[from] TensorMapError),
    /// There is no report of a kernel.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A search for the fastest launch has no outcome.
    #[error(transparent)]
    Tuner(#[from] TunerError),
    /// A fault of the kernel on the simulator.
    #[error(transparent)]
    Simulator(Box<SimFault>),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<SimFault> for Error {
    fn from(fault: SimFault) -> Self {
        Error::Simulator(Box::new(fault))
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_an_error_prints_its_message() {
        let error = Error::from(LaunchError::NoGrid { kernel: "saxpy" });
        assert!(error.to_string().starts_with("kernel `saxpy`"), "{error}");
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}
