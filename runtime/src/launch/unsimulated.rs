//! Stands in for the simulation of launches in a build without it: no device is a simulator there.

use super::{LaunchError, LaunchShape, Setup};
use crate::argument::KernelArg;
use crate::compile::kernel::Kernel;
use crate::error::Result;
use crate::host::device::Device;

/// A simulated launch; there is none.
pub(crate) enum Simulation {}

impl Simulation {
    /// Refuses: a launch that reaches this is on no GPU.
    pub(super) fn new<K: Kernel>(_: &Device, _: &K::Comptime, _: &Setup, _: &LaunchShape) -> Result<Self> {
        Err(LaunchError::NotSimulated { kernel: K::NAME }.into())
    }

    /// Itself.
    pub fn with_checks(self, _: bool) -> Self {
        self
    }

    pub fn noalias(&self) -> bool {
        match *self {}
    }

    pub fn run<K: Kernel>(&self, _: &K::Comptime, _: &[KernelArg]) -> Result<()> {
        match *self {}
    }
}
