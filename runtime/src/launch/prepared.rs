//! Launches that are checked once: everything that does not change between launches is resolved in advance.

use std::sync::Arc;

use super::chosen::{Asked, Rests, again, chosen};
use super::simulate::Simulation;
use super::{AnyLaunch, Launch, LaunchError, LaunchShape, Limits, Setup, check, check_attributes};
use crate::argument::KernelArg;
use crate::codegen::Needs;
use crate::compile::kernel::{AnyKernel, Kernel, Specialized};
use crate::driver::{Attributes, CudaStream, Gpu, Loaded};
use crate::error::Result;
use crate::host::ahead::Text;
use crate::host::device::{Backend, Device};
#[cfg(feature = "simulator")]
use crate::metrics::Report;

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
    /// A text of a bundle's device.
    Ahead(Arc<Text>, Rests),
    Simulator(Box<Simulation>),
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
                let loaded = chosen(&**gpu, kernel, &asked, &shape, args)?.0;
                let (shape, attributes) = (with_its_shared(shape, loaded.needs()), &setup.attributes);
                check_gpu(gpu, kernel, loaded, &shape, attributes)?;
                launch_on_gpu(gpu, kernel, loaded, &shape, attributes, args)
            }
            Backend::Simulator if device.ahead().is_some() => {
                let (target, shape) = self.target(device, checks)?;
                target.launch(device, kernel, (&shape, &setup.attributes), args)
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
        let target = match (device.backend(), device.ahead()) {
            (Backend::Gpu(gpu), _) => {
                let asked = Asked { bounds: checks, others: setup.gpu_checks(device)?, setup };
                let (loaded, rests) = chosen(&**gpu, kernel, &asked, &shape, args)?;
                shape = with_its_shared(shape, loaded.needs());
                check_gpu(gpu, kernel, loaded, &shape, &setup.attributes)?;
                Target::Gpu(loaded.clone(), rests)
            }
            (Backend::Simulator, Some(ahead)) => {
                let asked = Asked { bounds: checks, others: setup.gpu_checks(device)?, setup };
                let (text, rests) = chosen(&**ahead, kernel, &asked, &shape, args)?;
                shape = with_its_shared(shape, &text.needs);
                check_on(&ahead.limits, kernel, &text.needs, &shape, &setup.attributes)?;
                check_attributes::no_owner(kernel.name(), &setup.attributes)?;
                ahead.keep(kernel, text)?;
                Target::Ahead(text.clone(), rests)
            }
            (Backend::Simulator, None) => {
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
            Target::Ahead(..) | Target::Simulator(_) => None,
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
        match (self, device.backend(), device.ahead()) {
            (Self::Gpu(loaded, rests), Backend::Gpu(gpu), _) => {
                gpu.take_fault()?;
                let loaded = again(&**gpu, kernel, (loaded, *rests), shape, args, attributes)?;
                launch_on_gpu(gpu, kernel, loaded, shape, attributes, args)
            }
            (Self::Ahead(text, rests), _, Some(ahead)) => {
                let text = again(&**ahead, kernel, (text, *rests), shape, args, attributes)?;
                ahead.keep(kernel, text)
            }
            (Self::Simulator(simulation), ..) => simulation.run(kernel, args),
            (Self::Gpu(..) | Self::Ahead(..), ..) => Ok(()),
        }
    }

    fn check_overlap(
        &self,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
    ) -> std::result::Result<(), LaunchError> {
        let noalias = match self {
            Target::Gpu(loaded, _) => loaded.needs().noalias,
            Target::Ahead(text, _) => text.needs.noalias,
            Target::Simulator(simulation) => simulation.noalias(),
        };
        if noalias { check::overlap(kernel, args) } else { Ok(()) }
    }
}

/// The shape with the dynamic shared memory that is the kernel's own: for arrays that exceed static memory, and for the
/// record of written bytes of a checked kernel.
pub(super) fn with_its_shared(shape: LaunchShape, needs: &Needs) -> LaunchShape {
    let own = needs.large_shared_bytes + needs.shadow_bytes;
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
    check_on(gpu.limits(), kernel, loaded.needs(), shape, attributes)?;
    check_attributes::owner(kernel.name(), attributes, gpu.ordinal())?;
    Ok(gpu.check_occupancy(loaded, shape, attributes)?)
}

/// The checks of a shape and attributes against limits of a GPU.
fn check_on(
    limits: &Limits,
    kernel: &dyn AnyKernel,
    needs: &Needs,
    shape: &LaunchShape,
    attributes: &Attributes,
) -> std::result::Result<(), LaunchError> {
    check::device(kernel, shape, limits, needs, attributes)?;
    check_attributes::check(kernel.name(), shape, attributes, limits, needs.cluster)
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
