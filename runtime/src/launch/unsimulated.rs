//! Stands in for the simulation of launches in a build without it: no device is a simulator there.

use super::{LaunchError, LaunchShape, Setup};
use crate::argument::KernelArg;
use crate::compile::kernel::AnyKernel;
use crate::error::Result;
use crate::host::device::Device;

/// A simulated launch; there is none.
pub(crate) enum Simulation {}

impl Simulation {
    /// Refuses: a launch that reaches this is on no GPU.
    pub(super) fn new(_: &Device, kernel: &dyn AnyKernel, _: &Setup, _: &LaunchShape) -> Result<Self> {
        Err(LaunchError::NotSimulated { kernel: kernel.name() }.into())
    }

    /// Itself.
    pub fn with_checks(self, _: bool) -> Self {
        self
    }

    pub fn noalias(&self) -> bool {
        match *self {}
    }

    pub fn run(&self, _: &dyn AnyKernel, _: &[KernelArg]) -> Result<()> {
        match *self {}
    }
}
