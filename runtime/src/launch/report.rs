//! What a launch would take of its device, asked before launching.

use super::Launch;
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
    /// Whatever compiling or loading refuses; [`NvrtcError::Missing`] on the simulator without NVRTC.
    ///
    /// Source: CUDA Driver API, `cuFuncGetAttribute`.
    pub fn resources(&self, device: &Device) -> Result<Resources> {
        let compute = device.limits().compute;
        let resources = match device.backend() {
            Backend::Gpu(gpu) => {
                let loaded = gpu.load::<K>(&self.comptime, true)?.resources()?;
                match compile::resources_on::<K>(&self.comptime, compute) {
                    Ok(Resources { spills, stack_frame, barriers, .. }) => {
                        Resources { spills, stack_frame, barriers, ..loaded }
                    }
                    // A bundle or a warm cache runs without NVRTC; then the driver's figures are all there is.
                    Err(crate::Error::Nvrtc(NvrtcError::Missing)) => loaded,
                    Err(error) => return Err(error),
                }
            }
            Backend::Simulator => compile::resources_on::<K>(&self.comptime, compute)?,
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
            let loaded = gpu.load::<K>(&self.comptime, true)?;
            occupancy.clusters = Some(gpu.resident(&loaded, &shape)?);
        }
        Ok(occupancy)
    }
}
