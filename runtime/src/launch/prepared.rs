//! From a launch to its device: everything that is the same in each launch is resolved once.

use std::sync::Arc;

use super::{Launch, LaunchError, Setup, Shape, check, check_attributes, conditions};
use crate::args::KernelArg;
use crate::codegen::Checks;
use crate::device::{Backend, Device};
use crate::driver::{Attributes, CudaStream, Gpu, Loaded};
use crate::error::{Error, Result};
use crate::interpreter::{self, Argument, Options, Run};
use crate::kernel::Kernel;
use crate::nvrtc::NvrtcError;
use crate::simulator::{self, Executor, Observer, Settings, SimFault, SimLaunch};
use crate::validate::ValidModule;

/// A launch that was compiled, loaded and checked, to be repeated with arguments of the same types.
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
    comptime: K::Comptime,
    shape: Shape,
    attributes: Attributes,
    target: Target,
}

/// Where a checked launch goes.
pub(crate) enum Target {
    /// A loaded kernel, and the conditions that its launches must fulfil.
    Gpu(Arc<Loaded>, u64),
    Simulator(Simulation),
}

/// What the simulator must know of a kernel and a launch.
pub(crate) struct Simulation {
    cluster: [u32; 3],
    rendezvous: bool,
    noalias: bool,
    settings: Settings,
    module: ValidModule,
}

impl<K: Kernel> Launch<'_, K> {
    pub(super) fn run(self, device: &Device, checks: bool) -> Result<()> {
        self.refuse_order()?;
        let (shape, args) = (self.setup.shape::<K>()?, self.args.as_ref());
        check::arguments::<K>(args, device.place())?;
        match device.backend() {
            Backend::Gpu(gpu) => {
                gpu.take_fault()?;
                let loaded = loaded::<K>(gpu, &self.comptime, checks, (&shape, args))?.0;
                let attributes = &self.setup.attributes;
                check_gpu::<K>(gpu, loaded, &shape, attributes)?;
                launch_on_gpu::<K>(gpu, loaded, &shape, attributes, args)
            }
            Backend::Simulator => {
                let simulation = Simulation::new::<K>(&self.comptime, &self.setup, &shape)?;
                simulation.run::<K>(&self.comptime, &shape, &self.setup.attributes, args)
            }
        }
    }

    pub(super) fn run_observed(
        self,
        device: &Device,
        settings: Option<Settings>,
        observers: &[&dyn Observer],
    ) -> Result<()> {
        self.refuse_order()?;
        let Backend::Simulator = device.backend() else {
            return Err(LaunchError::OnlySimulated { kernel: K::NAME }.into());
        };
        let (shape, args) = (self.setup.shape::<K>()?, self.args.as_ref());
        check::arguments::<K>(args, device.place())?;
        let mut simulation = Simulation::new::<K>(&self.comptime, &self.setup, &shape)?;
        if let Some(settings) = settings {
            simulation.settings = settings;
        }
        let attributes = &self.setup.attributes;
        let launch = simulation.launch::<K>(&shape, attributes, args, observers)?;
        simulation.interpret::<K>(&self.comptime, &launch, args)
    }

    pub(super) fn prepared(self, device: &Device, checks: bool) -> Result<Prepared<K>> {
        self.refuse_order()?;
        let shape = self.setup.shape::<K>()?;
        check::arguments::<K>(self.args.as_ref(), device.place())?;
        let target = match device.backend() {
            Backend::Gpu(gpu) => {
                let given = (&shape, self.args.as_ref());
                let (loaded, needs) = loaded::<K>(gpu, &self.comptime, checks, given)?;
                check_gpu::<K>(gpu, loaded, &shape, &self.setup.attributes)?;
                Target::Gpu(loaded.clone(), needs)
            }
            Backend::Simulator => {
                Target::Simulator(Simulation::new::<K>(&self.comptime, &self.setup, &shape)?)
            }
        };
        target.check_overlap::<K>(self.args.as_ref())?;
        let (comptime, attributes) = (self.comptime, self.setup.attributes);
        Ok(Prepared { device: device.clone(), comptime, shape, attributes, target })
    }

    /// The prepared launch and its arguments, which the caller keeps borrowed or owns.
    pub(crate) fn split(self, device: &Device) -> Result<(Prepared<K>, K::Args)> {
        self.split_with(device, true)
    }

    /// As [`Launch::split`]; who asks for no checks vouches for the indices.
    pub(crate) fn split_with(self, device: &Device, checks: bool) -> Result<(Prepared<K>, K::Args)> {
        let args = self.args.clone();
        Ok((self.prepared(device, checks)?, args))
    }
}

impl<K: Kernel> Prepared<K> {
    /// Launches with other arguments: `prepared.launch(kernel(a, &x, &mut y))`.
    ///
    /// The shape and the attributes are those that were prepared.
    ///
    /// # Errors
    /// [`LaunchError::PreparedShape`] if `call` says more than arguments, [`LaunchError::PreparedComptime`]
    /// if its comptime values are others; memory of another device, or slices that overlap in a `noalias`
    /// kernel; otherwise as [`Launch::launch`].
    pub fn launch(&self, call: Launch<'_, K>) -> Result<()> {
        if call.said {
            return Err(LaunchError::PreparedShape { kernel: K::NAME }.into());
        }
        if call.comptime != self.comptime {
            return Err(LaunchError::PreparedComptime { kernel: K::NAME }.into());
        }
        check::arguments::<K>(call.args.as_ref(), self.device.place())?;
        self.launch_args(call.args.as_ref())
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
        self.attributes.stream.as_ref()?.0.as_ref()
    }

    /// Launches with arguments that are on the device.
    pub(crate) fn launch_args(&self, args: &[KernelArg]) -> Result<()> {
        match (&self.target, self.device.backend()) {
            (Target::Gpu(loaded, needs), Backend::Gpu(gpu)) => {
                gpu.take_fault()?;
                let loaded = if *needs & !self.fulfilled(gpu, args)? == 0 {
                    loaded
                } else {
                    // These arguments need checks that the first ones did not.
                    gpu.loaded::<K>(&self.comptime, Checks::All)?
                };
                launch_on_gpu::<K>(gpu, loaded, &self.shape, &self.attributes, args)
            }
            (Target::Simulator(simulation), _) => {
                simulation.run::<K>(&self.comptime, &self.shape, &self.attributes, args)
            }
            (Target::Gpu(..), Backend::Simulator) => Ok(()),
        }
    }

    fn fulfilled(&self, gpu: &Gpu, args: &[KernelArg]) -> Result<u64> {
        Ok(conditions::fulfilled(gpu.conditions::<K>(&self.comptime)?, &self.shape, args))
    }

    pub(crate) fn parts(&self) -> (&Target, &Shape, &Attributes) {
        (&self.target, &self.shape, &self.attributes)
    }
}

impl Target {
    fn check_overlap<K: Kernel>(&self, args: &[KernelArg]) -> std::result::Result<(), LaunchError> {
        let noalias = match self {
            Target::Gpu(loaded, _) => loaded.needs().noalias,
            Target::Simulator(simulation) => simulation.noalias,
        };
        if noalias { check::overlap::<K>(args) } else { Ok(()) }
    }
}

/// The kernel with the checks that a launch needs, and the conditions that this rests on.
fn loaded<'g, K: Kernel>(
    gpu: &'g Gpu,
    comptime: &K::Comptime,
    checks: bool,
    (shape, args): (&Shape, &[KernelArg]),
) -> Result<(&'g Arc<Loaded>, u64)> {
    if !checks {
        return Ok((gpu.loaded::<K>(comptime, Checks::None)?, 0));
    }
    let checks = conditions::checks(gpu.conditions::<K>(comptime)?, shape, args);
    match (gpu.loaded::<K>(comptime, checks), checks) {
        (Ok(loaded), Checks::Lifted(fulfilled)) => Ok((loaded, fulfilled)),
        // Compiled ahead of time, a kernel has all checks, or none that some launch can prove.
        (Err(Error::Nvrtc(NvrtcError::Missing)), Checks::Lifted(_)) => {
            Ok((gpu.loaded::<K>(comptime, Checks::All)?, 0))
        }
        (loaded, _) => Ok((loaded?, 0)),
    }
}

/// What holds of a shape and attributes on a GPU, whatever the arguments.
fn check_gpu<K: Kernel>(gpu: &Gpu, loaded: &Loaded, shape: &Shape, attributes: &Attributes) -> Result<()> {
    check::device::<K>(shape, gpu.limits(), loaded.needs(), attributes)?;
    check_attributes::check::<K>(shape, attributes, gpu.limits(), loaded.needs().cluster)?;
    check_attributes::owner::<K>(attributes, gpu.ordinal())?;
    Ok(gpu.check_occupancy(loaded, shape, attributes)?)
}

fn launch_on_gpu<K: Kernel>(
    gpu: &Gpu,
    loaded: &Loaded,
    shape: &Shape,
    attributes: &Attributes,
    args: &[KernelArg],
) -> Result<()> {
    if loaded.needs().noalias {
        check::overlap::<K>(args)?;
    }
    Ok(gpu.launch(loaded, shape, attributes, args)?)
}

impl Simulation {
    fn new<K: Kernel>(comptime: &K::Comptime, setup: &Setup, shape: &Shape) -> Result<Self> {
        let module = K::module(comptime)?;
        let attributes = &module.module().attributes;
        check::simulator::<K>(shape, module.module(), &setup.attributes)?;
        let mut settings = Settings::from_env()?;
        if setup.seed != 0 {
            settings.seed = setup.seed;
        }
        Ok(Self {
            cluster: shape.cluster.or(attributes.cluster).unwrap_or([1; 3]),
            rendezvous: module.uses_rendezvous(),
            noalias: attributes.noalias,
            settings,
            module,
        })
    }

    fn run<K: Kernel>(
        &self,
        comptime: &K::Comptime,
        shape: &Shape,
        attributes: &Attributes,
        args: &[KernelArg],
    ) -> Result<()> {
        let launch = self.launch::<K>(shape, attributes, args, &[])?;
        if self.settings.executor == Executor::Interpreter {
            match self.interpret::<K>(comptime, &launch, args) {
                Err(Error::Simulator(fault)) if matches!(*fault, SimFault::NotInterpreted { .. }) => {
                    eprintln!("warpsmith: {fault}; its twin runs instead");
                }
                outcome => return outcome,
            }
        }
        simulator::run(&launch, &|| K::run_thread(comptime, args))?;
        Ok(())
    }

    /// The launch as the machine runs it.
    fn launch<'l, K: Kernel>(
        &self,
        shape: &Shape,
        attributes: &Attributes,
        args: &[KernelArg],
        observers: &'l [&'l dyn Observer],
    ) -> Result<SimLaunch<'l>> {
        if self.noalias {
            check::overlap::<K>(args)?;
        }
        Ok(SimLaunch {
            kernel: K::NAME,
            grid: shape.grid,
            block: shape.block,
            cluster: self.cluster,
            dynamic_shared: shape.dynamic_shared as usize,
            rendezvous: self.rendezvous,
            cooperative: attributes.cooperative,
            settings: self.settings.clone(),
            observers,
        })
    }

    /// Runs the kernel's IR.
    fn interpret<K: Kernel>(
        &self,
        comptime: &K::Comptime,
        launch: &SimLaunch<'_>,
        args: &[KernelArg],
    ) -> Result<()> {
        let options = Options::of(&self.settings, simulator::interests(launch.observers));
        let program = interpreter::program::<K>(comptime, &self.module, options);
        let program = program.map_err(|refused| SimFault::NotInterpreted {
            kernel: K::NAME.to_owned(),
            what: refused.what,
            file: refused.at.file.to_owned(),
            line: refused.at.line,
        })?;
        let arguments = Argument::of(&program, args);
        let run = Run::new(program, 0, K::NAME, arguments, self.settings.step_budget);
        simulator::run(launch, &|| run.thread())?;
        Ok(())
    }
}
