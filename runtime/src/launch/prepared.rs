//! Launches that are checked once: everything that does not change between launches is resolved in advance.

use std::sync::Arc;

use super::simulate::Simulation;
use super::{
    AnyLaunch, Launch, LaunchError, LaunchShape, Setup, check, check_attributes, coarsen, conditions,
};
use crate::argument::KernelArg;
use crate::codegen::{Checks, GpuChecks};
use crate::compile::kernel::{AnyKernel, Kernel, Specialized};
use crate::driver::{Attributes, CudaStream, Gpu, Loaded, Shown, Version};
use crate::error::{Error, Result};
use crate::host::device::{Backend, Device};
#[cfg(feature = "simulator")]
use crate::metrics::Report;
use crate::nvrtc::NvrtcError;

/// A launch that is compiled, loaded and checked, and can be repeated with arguments of the same types.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_kernel]
/// fn scale(a: f32, x: &mut [f32]) {
///     let i = global_id();
///     if i < x.len() {
///         x[i] *= a;
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let mut x = device.upload(&[1.0f32; 1000])?;
/// let scale_x = scale(2.0, &mut x).over(1000).prepare(&device)?;
/// for a in [2.0, 3.0] {
///     scale_x.launch(scale(a, &mut x))?;
/// }
/// assert_eq!(device.download(&x)?[0], 6.0);
/// # Ok(()) }
/// ```
pub struct Prepared<K: Kernel> {
    device: Device,
    kernel: Specialized<K>,
    shape: LaunchShape,
    setup: Setup,
    target: Target,
}

/// The device of a checked launch.
pub(crate) enum Target {
    /// A loaded kernel, and what its launches must fulfil.
    Gpu(Arc<Loaded>, Rests),
    Simulator(Box<Simulation>),
}

/// The facts that a loaded kernel rests on; a launch of it must show as much.
#[derive(Clone, Copy)]
pub(crate) struct Rests {
    /// The conditions that prove checks, a bit each.
    checks: u64,
    shown: Shown,
}

impl Rests {
    const NOTHING: Self = Self { checks: 0, shown: Shown::NOTHING };
}

impl<K: Kernel> Launch<'_, K> {
    pub(super) fn prepared(self, device: &Device, checks: bool) -> Result<Prepared<K>> {
        let (target, shape) = self.any().target(device, checks)?;
        let (kernel, setup) = (self.kernel, self.setup);
        Ok(Prepared { device: device.clone(), kernel, shape, setup, target })
    }

    /// The prepared launch and its arguments, which the caller keeps borrowed or owns.
    pub(crate) fn split(self, device: &Device) -> Result<(Prepared<K>, K::Args)> {
        self.split_with(device, true)
    }

    /// Like [`Launch::split`]. Without checks, the caller guarantees that the indices are in bounds.
    pub(crate) fn split_with(self, device: &Device, checks: bool) -> Result<(Prepared<K>, K::Args)> {
        let args = self.args.clone();
        Ok((self.prepared(device, checks)?, args))
    }
}

impl AnyLaunch<'_> {
    pub(super) fn run(self, device: &Device, checks: bool) -> Result<()> {
        self.refuse_order()?;
        let Self { kernel, args, setup } = self;
        let shape = self.shape()?;
        check::arguments(kernel, args, device)?;
        match device.backend() {
            Backend::Gpu(gpu) => {
                gpu.take_fault()?;
                let asked = Asked { bounds: checks, others: setup.gpu_checks(device)?, setup };
                let loaded = loaded(gpu, kernel, &asked, &shape, args)?.0;
                let (shape, attributes) = (with_its_shared(shape, loaded), &setup.attributes);
                check_gpu(gpu, kernel, loaded, &shape, attributes)?;
                launch_on_gpu(gpu, kernel, loaded, &shape, attributes, args)
            }
            Backend::Simulator => {
                Simulation::new(device, kernel, setup, &shape)?.with_checks(checks).run(kernel, args)
            }
        }
    }

    /// The launch on its device, checked, and its shape there.
    fn target(self, device: &Device, checks: bool) -> Result<(Target, LaunchShape)> {
        self.refuse_order()?;
        let Self { kernel, args, setup } = self;
        let mut shape = self.shape()?;
        check::arguments(kernel, args, device)?;
        let target = match device.backend() {
            Backend::Gpu(gpu) => {
                let asked = Asked { bounds: checks, others: setup.gpu_checks(device)?, setup };
                let (loaded, needs) = loaded(gpu, kernel, &asked, &shape, args)?;
                shape = with_its_shared(shape, loaded);
                check_gpu(gpu, kernel, loaded, &shape, &setup.attributes)?;
                Target::Gpu(loaded.clone(), needs)
            }
            Backend::Simulator => {
                let simulation = Simulation::new(device, kernel, setup, &shape)?;
                Target::Simulator(Box::new(simulation.with_checks(checks)))
            }
        };
        target.check_overlap(kernel, args)?;
        Ok((target, shape))
    }
}

impl<K: Kernel> Prepared<K> {
    /// Launches with other arguments: `prepared.launch(kernel(a, &x, &mut y))`.
    ///
    /// The shape and the attributes stay as prepared.
    ///
    /// # Errors
    /// [`LaunchError::PreparedShape`] if `call` sets more than arguments, [`LaunchError::PreparedComptime`]
    /// if its comptime values differ; memory of another device, or slices that overlap in a `noalias`
    /// kernel; otherwise as [`Launch::launch`].
    pub fn launch(&self, call: Launch<'_, K>) -> Result<()> {
        self.check(&call)?;
        check::arguments(&self.kernel, call.args.as_ref(), &self.device)?;
        self.launch_args(call.args.as_ref())
    }

    /// Launches with other arguments, and counts the costs by Rust line, as [`Launch::metrics`] does.
    ///
    /// # Errors
    /// Those of [`Prepared::launch`] and of [`Launch::metrics`].
    #[cfg(feature = "simulator")]
    pub fn metrics(&self, call: Launch<'_, K>) -> Result<Report> {
        self.check(&call)?;
        Launch { setup: self.setup.clone(), ..call }.metrics(&self.device)
    }

    /// Refuses a launch that sets more than arguments.
    fn check(&self, call: &Launch<'_, K>) -> Result<()> {
        if call.said {
            return Err(LaunchError::PreparedShape { kernel: K::NAME }.into());
        }
        if call.kernel.0 != self.kernel.0 {
            return Err(LaunchError::PreparedComptime { kernel: K::NAME }.into());
        }
        Ok(())
    }

    /// The kernel as the GPU loaded it; `None` on the simulator.
    pub fn loaded(&self) -> Option<&Loaded> {
        match &self.target {
            Target::Gpu(loaded, _) => Some(loaded),
            Target::Simulator(_) => None,
        }
    }

    /// The stream of the launch; `None` is the device's own.
    pub(crate) fn stream(&self) -> Option<&Arc<CudaStream>> {
        self.setup.attributes.stream.as_ref()?.0.as_ref()
    }

    /// Launches with arguments that are on the device.
    pub(crate) fn launch_args(&self, args: &[KernelArg]) -> Result<()> {
        let Self { device, kernel, shape, setup, target } = self;
        target.launch(device, kernel, (shape, &setup.attributes), args)
    }

    pub(crate) fn parts(&self) -> (&Target, &LaunchShape, &Attributes) {
        (&self.target, &self.shape, &self.setup.attributes)
    }
}

impl Target {
    fn launch(
        &self,
        device: &Device,
        kernel: &dyn AnyKernel,
        (shape, attributes): (&LaunchShape, &Attributes),
        args: &[KernelArg],
    ) -> Result<()> {
        match (self, device.backend()) {
            (Self::Gpu(loaded, needs), Backend::Gpu(gpu)) => {
                gpu.take_fault()?;
                let coarsened = loaded.needs().coarsened.as_ref();
                let fits = coarsened.is_none_or(|needs| coarsen::fits(needs, shape, args));
                let fulfils = || -> Result<bool> {
                    let recorded = gpu.recorded(kernel)?;
                    let (proven, shown) = conditions::of_recorded(recorded, shape, args, attributes);
                    Ok(needs.checks & !proven == 0 && shown.includes(needs.shown))
                };
                let loaded = if fits && fulfils()? {
                    loaded
                } else {
                    // These arguments need checks that the first ones did not, or are not aligned as they were.
                    gpu.loaded(kernel, Checks::All)?
                };
                launch_on_gpu(gpu, kernel, loaded, shape, attributes, args)
            }
            (Self::Simulator(simulation), _) => simulation.run(kernel, args),
            (Self::Gpu(..), Backend::Simulator) => Ok(()),
        }
    }

    fn check_overlap(
        &self,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
    ) -> std::result::Result<(), LaunchError> {
        let noalias = match self {
            Target::Gpu(loaded, _) => loaded.needs().noalias,
            Target::Simulator(simulation) => simulation.noalias(),
        };
        if noalias { check::overlap(kernel, args) } else { Ok(()) }
    }
}

/// The checks that a launch asks for, and what else decides which text it runs.
struct Asked<'a> {
    /// Checks of indices.
    bounds: bool,
    /// Other checks on a GPU.
    others: GpuChecks,
    setup: &'a Setup,
}

/// The kernel with the checks that a launch needs, and what this rests on.
fn loaded<'g>(
    gpu: &'g Gpu,
    kernel: &dyn AnyKernel,
    asked: &Asked<'_>,
    shape: &LaunchShape,
    args: &[KernelArg],
) -> Result<(&'g Arc<Loaded>, Rests)> {
    if asked.others.any() {
        return Ok((gpu.loaded(kernel, Checks::Also(asked.others))?, Rests::NOTHING));
    }
    let recorded = gpu.recorded(kernel)?;
    let (fulfilled, shown) = conditions::of_recorded(recorded, shape, args, &asked.setup.attributes);
    let checks = if asked.bounds { conditions::lifted(fulfilled) } else { Checks::None };
    if let Some(factor) = asked.setup.coarsening_of(kernel.name(), recorded.coarsen, shape, args)? {
        let fits = |loaded: &Loaded| {
            loaded.needs().coarsened.as_ref().is_some_and(|needs| coarsen::fits(needs, shape, args))
        };
        for version in Version::coarsened(checks, factor) {
            match checked(gpu, kernel, version) {
                Ok(found) if fits(found.0) => return Ok(found),
                // Compiled ahead of time, a kernel may not be there coarsened; it does the same as it is.
                Ok(_) | Err(Error::Nvrtc(NvrtcError::Missing)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    checked(gpu, kernel, Version::of_launch(checks, shown))
}

/// A version of a kernel, or one that rests on nothing where only that is compiled ahead of time.
fn checked<'g>(gpu: &'g Gpu, kernel: &dyn AnyKernel, version: Version) -> Result<(&'g Arc<Loaded>, Rests)> {
    // The needs of a coarsened text say what its arithmetic rests on.
    let shown = version.shown.filter(|_| version.coarsen.is_none()).unwrap_or(Shown::NOTHING);
    match (gpu.loaded(kernel, version), version.checks) {
        (Ok(loaded), Checks::Lifted(checks)) => Ok((loaded, Rests { checks, shown })),
        (Ok(loaded), _) => Ok((loaded, Rests { checks: 0, shown })),
        // Compiled ahead of time, a kernel rests on nothing, or on all that a launch can show.
        (Err(Error::Nvrtc(NvrtcError::Missing)), checks) if version.rests_on_launch() => {
            let checks = if let Checks::Lifted(_) = checks { Checks::All } else { checks };
            let shown = version.shown.map(|_| Shown::NOTHING);
            Ok((gpu.loaded(kernel, Version { checks, shown, ..version })?, Rests::NOTHING))
        }
        (Err(error), _) => Err(error),
    }
}

/// The shape with the dynamic shared memory that is the kernel's own: for arrays that exceed static memory, and for the
/// record of written bytes of a checked kernel.
pub(super) fn with_its_shared(shape: LaunchShape, loaded: &Loaded) -> LaunchShape {
    let own = loaded.needs().large_shared_bytes + loaded.needs().shadow_bytes;
    let dynamic_shared = shape.dynamic_shared.saturating_add(own as u32);
    LaunchShape { dynamic_shared, ..shape }
}

/// The checks of a shape and attributes on a GPU that do not depend on the arguments.
fn check_gpu(
    gpu: &Gpu,
    kernel: &dyn AnyKernel,
    loaded: &Loaded,
    shape: &LaunchShape,
    attributes: &Attributes,
) -> Result<()> {
    check::device(kernel, shape, gpu.limits(), loaded.needs(), attributes)?;
    check_attributes::check(kernel.name(), shape, attributes, gpu.limits(), loaded.needs().cluster)?;
    check_attributes::owner(kernel.name(), attributes, gpu.ordinal())?;
    Ok(gpu.check_occupancy(loaded, shape, attributes)?)
}

fn launch_on_gpu(
    gpu: &Gpu,
    kernel: &dyn AnyKernel,
    loaded: &Loaded,
    shape: &LaunchShape,
    attributes: &Attributes,
    args: &[KernelArg],
) -> Result<()> {
    if loaded.needs().noalias {
        check::overlap(kernel, args)?;
    }
    Ok(gpu.launch(loaded, shape, attributes, args)?)
}
