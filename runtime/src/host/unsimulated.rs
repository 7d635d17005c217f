//! Stands in for simulators in a build without them.

use super::device::Device;
use crate::driver::DriverError;
use crate::error::Result;

/// The settings of a simulator; there is none.
#[derive(Clone, Default)]
pub(super) struct Given {}

impl Device {
    /// There is nothing to run kernels on.
    pub(super) fn instead_of_a_gpu(why: DriverError) -> Result<Self> {
        Err(why.into())
    }
}
