//! The resources and the costs of a launch.

use super::prepared::with_its_shared;
use super::{AnyLaunch, KeptAttributes, Launch, Target, coarsen, conditions};
use crate::compile;
use crate::compile::kernel::Kernel;
use crate::driver::{DriverError, Version};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::nvrtc::NvrtcError;
use crate::passes;
use crate::resources::{Multiprocessor, Occupancy, Resources};

impl<K: Kernel> Launch<'_, K> {
    /// Registers, spills and memory of the kernel as this launch would run it. Nothing is launched.
    ///
    /// On a GPU the figures are those of the loaded function; spills, stack frame and barriers are
    /// NVRTC's, where it is installed. On the simulator, the figures are those for sm_90, which it models.
    ///
    /// # Errors
    /// An error of compiling or loading; [`NvrtcError::Missing`] on the simulator without NVRTC; an invalid shape.
    ///
    /// Source: CUDA Driver API, `cuFuncGetAttribute`.
    pub fn resources(&self, device: &Device) -> Result<Resources> {
        self.any().resources(device)
    }

    /// The number of blocks of this launch that are resident on a multiprocessor of the device, and the reason why not
    /// more.
    ///
    /// For a launch with clusters on a GPU, also how many clusters are resident on the whole device.
    ///
    /// # Errors
    /// The errors of [`Launch::resources`]; a shape that [`Launch::launch`] would refuse.
    ///
    /// Source: CUDA Driver API, `cuOccupancyMaxActiveBlocksPerMultiprocessor`, `cuOccupancyMaxActiveClusters`.
    pub fn occupancy(&self, device: &Device) -> Result<Occupancy> {
        self.any().occupancy(device)
    }

    /// This launch's attributes as the driver keeps them, read back from it. Nothing is launched.
    ///
    /// The driver keeps no attributes that only order launches: streams, events, programmatic serialization.
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] on the simulator; otherwise the errors of [`Launch::prepare`].
    ///
    /// Source: CUDA Driver API, `cuGraphKernelNodeGetAttribute`, of the launch as it is captured.
    pub fn kept_attributes(self, device: &Device) -> Result<KeptAttributes> {
        if let Backend::Gpu(gpu) = device.backend() {
            let (prepared, args) = self.split(device)?;
            if let (Target::Gpu(loaded, _), shape, attributes) = prepared.parts() {
                return Ok(gpu.kept_attributes((loaded, shape, attributes, args.as_ref()))?);
            }
        }
        let what = "reading a launch's attributes back";
        let why = "it has no driver that keeps them; launch checks them there all the same";
        Err(DriverError::Unavailable { what, place: device.place(), why }.into())
    }
}

impl AnyLaunch<'_> {
    pub(super) fn resources(self, device: &Device) -> Result<Resources> {
        let (compute, version) = (device.limits().compute, self.version()?);
        let resources = match device.backend() {
            Backend::Gpu(gpu) => {
                let loaded = gpu.loaded(self.kernel, version)?.resources()?;
                match compile::resources_on(self.kernel, version, compute) {
                    Ok(Resources { spills, stack_frame, barriers, instructions, remarks, .. }) => {
                        Resources { spills, stack_frame, barriers, instructions, remarks, ..loaded }
                    }
                    // A bundle or a warm cache runs without NVRTC; then the driver's figures are all there is.
                    Err(crate::Error::Nvrtc(NvrtcError::Missing)) => loaded,
                    Err(error) => return Err(error),
                }
            }
            Backend::Simulator => compile::resources_on(self.kernel, version, compute)?,
        };
        Ok(resources.with_dynamic_shared(u32::try_from(self.setup.dynamic_shared).unwrap_or(u32::MAX)))
    }

    pub(super) fn occupancy(self, device: &Device) -> Result<Occupancy> {
        let multiprocessor = Multiprocessor::from(device.limits());
        let mut occupancy = Occupancy::new(&self.resources(device)?, &multiprocessor, self.setup.block)?;
        if let (Backend::Gpu(gpu), Some(_)) = (device.backend(), self.setup.cluster) {
            let shape = self.shape()?;
            let loaded = gpu.loaded(self.kernel, self.version()?)?;
            occupancy.clusters = Some(gpu.resident(loaded, &with_its_shared(shape, loaded.needs()))?);
        }
        Ok(occupancy)
    }

    /// The version that the launch runs: the checks that it does not prove, and whether it is coarsened.
    pub(super) fn version(self) -> Result<Version> {
        let module = compile::module(self.kernel)?;
        let (shape, args) = (self.shape()?, self.args);
        let checks = conditions::checks(&module.module().conditions, &shape, args);
        let own = module.module().attributes.coarsen;
        let shown = conditions::showing(
            &module.module().fits,
            passes::read_only(&module),
            &shape,
            args,
            &self.setup.attributes,
        );
        let wanted = self.setup.coarsening_of(self.kernel.name(), own, &shape, args)?;
        coarsen::settled(self.kernel, &module, (wanted, Version::of_launch(checks, shown)), &shape, args)
    }
}
