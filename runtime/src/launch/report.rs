//! What a launch would take of its device, asked before launching.

use super::{Launch, conditions};
use crate::codegen::Checks;
use crate::compile;
use crate::device::{Backend, Device};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::nvrtc::NvrtcError;
use crate::report::{Multiprocessor, Occupancy, Resources};

impl<K: Kernel> Launch<'_, K> {
    /// Registers, spills and memory of the kernel as this launch would run it; nothing is launched.
    ///
    /// On a GPU the figures are those of the loaded function; spills, stack frame and barriers are
    /// NVRTC's, where there is one. On the simulator they are of the architecture that it models, sm_90.
    ///
    /// # Errors
    /// Whatever compiling or loading refuses; [`NvrtcError::Missing`] on the simulator without NVRTC; a
    /// shape that no launch may have.
    ///
    /// Source: CUDA Driver API, `cuFuncGetAttribute`.
    pub fn resources(&self, device: &Device) -> Result<Resources> {
        let (compute, checks) = (device.limits().compute, self.checks()?);
        let resources = match device.backend() {
            Backend::Gpu(gpu) => {
                let loaded = gpu.load::<K>(&self.comptime, checks)?.resources()?;
                match compile::resources_on::<K>(&self.comptime, checks, compute) {
                    Ok(Resources { spills, stack_frame, barriers, .. }) => {
                        Resources { spills, stack_frame, barriers, ..loaded }
                    }
                    // A bundle or a warm cache runs without NVRTC; then the driver's figures are all there is.
                    Err(crate::Error::Nvrtc(NvrtcError::Missing)) => loaded,
                    Err(error) => return Err(error),
                }
            }
            Backend::Simulator => compile::resources_on::<K>(&self.comptime, checks, compute)?,
        };
        Ok(resources.with_dynamic_shared(self.setup.dynamic_shared))
    }

    /// How many blocks of this launch are resident on a multiprocessor of the device, and why not more.
    ///
    /// With a cluster, on a GPU, also how many clusters are resident on the whole device.
    ///
    /// # Errors
    /// As [`Launch::resources`]; a shape that [`Launch::launch`] would refuse.
    ///
    /// Source: CUDA Driver API, `cuOccupancyMaxActiveBlocksPerMultiprocessor`, `cuOccupancyMaxActiveClusters`.
    pub fn occupancy(&self, device: &Device) -> Result<Occupancy> {
        let multiprocessor = Multiprocessor::from(device.limits());
        let mut occupancy = Occupancy::new(&self.resources(device)?, &multiprocessor, self.setup.block)?;
        if let (Backend::Gpu(gpu), Some(_)) = (device.backend(), self.setup.cluster) {
            let shape = self.setup.shape::<K>()?;
            let loaded = gpu.load::<K>(&self.comptime, self.checks()?)?;
            occupancy.clusters = Some(gpu.resident(&loaded, &shape)?);
        }
        Ok(occupancy)
    }

    /// The checks that the launch keeps: those that it does not prove itself.
    fn checks(&self) -> Result<Checks> {
        let module = K::module(&self.comptime)?;
        let shape = self.setup.shape::<K>()?;
        Ok(conditions::checks(&module.module().conditions, &shape, self.args.as_ref()))
    }
}
