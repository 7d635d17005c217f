//! Launches on the simulator: the executor that runs a kernel, and the observers.

mod barriers;
mod children;
mod compared;
mod copied;
mod metrics;
mod overlap;
#[cfg(feature = "report")]
mod pages;
mod printed;
#[cfg(feature = "report")]
mod report;
#[cfg(feature = "report")]
mod timed;
mod views;
mod writable;

use std::ops::Range;
use std::sync::Arc;

use super::{AnyLaunch, Launch, LaunchError, LaunchShape, Setup, check};
use crate::argument::KernelArg;
use crate::checks::{BarrierLog, Checkers};
use crate::compile;
use crate::compile::kernel::{AnyKernel, Kernel};
use crate::driver::{Attributes, Gpu};
#[cfg(feature = "report")]
use crate::error::Error;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::interpreter::{self, Argument, InterpretedLaunch, LowerOptions};
use crate::ir::CoarsenFactor;
use crate::limits;
use crate::passes;
use crate::simulator::{
    self, Executor, Observer, Prints, Settings, SimChecks, SimFault, SimLaunch, Statics, global,
};
use crate::sources;
use crate::validate::ValidModule;
use children::rules;
use copied::Copies;
#[cfg(feature = "report")]
use pages::WantedPage;
use writable::Writable;

/// The simulator's view of a kernel and a launch.
pub(crate) struct Simulation {
    shape: LaunchShape,
    cluster: [u32; 3],
    cooperative: bool,
    /// Whether it may begin before the launch before it has ended.
    programmatic: bool,
    /// Registers of a thread at its start, if launch bounds determine them.
    registers: Option<u32>,
    rendezvous: bool,
    noalias: bool,
    settings: Settings,
    module: Arc<ValidModule>,
    /// Whether printed CUDA compares indices with lengths.
    checked: bool,
    /// The number of elements for each thread of printed CUDA, if more than one, and whether the shape allows it.
    coarsen: Option<CoarsenFactor>,
    coarsens: bool,
    /// The log of the barriers that it needs.
    barriers: Option<BarrierLog>,
    /// The device statics of the device.
    statics: Arc<Statics>,
}

impl<K: Kernel> Launch<'_, K> {
    /// Launches on the simulator's interpreter, which reports every thread's actions to `observers`.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use warpsmith::prelude::*;
    /// use warpsmith::simulator::{Access, Interests, Observer, SimFault, Thread};
    ///
    /// #[gpu_kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = global_id();
    ///     if i < x.len() {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    ///
    /// #[derive(Default)]
    /// struct Bytes(Cell<u32>);
    ///
    /// impl Observer for Bytes {
    ///     fn interests(&self) -> Interests {
    ///         Interests { accesses: true, ..Interests::default() }
    ///     }
    ///     fn on_access(&self, _: &Thread, access: &Access) -> std::result::Result<(), SimFault> {
    ///         self.0.set(self.0.get() + access.bytes);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::simulator();
    /// let mut x = device.upload(&[1.0f32; 100])?;
    /// let moved = Bytes::default();
    /// double(&mut x).over(100).launch_observed(&device, &[&moved])?;
    /// assert_eq!(moved.0.get(), 800); // each element is read and written
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`Launch::launch`], and the faults that an observer finds; [`LaunchError::OnlySimulated`] on a GPU;
    /// [`SimFault::NotInterpreted`] if the interpreter cannot run the kernel.
    pub fn launch_observed(self, device: &Device, observers: &[&dyn Observer]) -> Result<()> {
        self.any().observed(device, observers)
    }
}

impl AnyLaunch<'_> {
    /// [`Launch::launch_observed`].
    pub(super) fn observed(self, device: &Device, observers: &[&dyn Observer]) -> Result<()> {
        #[cfg(feature = "report")]
        if let Some(page) = WantedPage::new(self.kernel, &self.shape()?) {
            let mut all = observers.to_vec();
            all.push(&page.metrics);
            self.watch(device, &all)?;
            let module = compile::known_module(self.kernel)?;
            return page.write(&module, self.kernel, self.args);
        }
        self.watch(device, observers)
    }

    /// Like [`Launch::launch_observed`], with the observers alone.
    pub(super) fn watch(self, device: &Device, observers: &[&dyn Observer]) -> Result<()> {
        let (simulation, Self { kernel, args, .. }) = (self.simulation(device)?, self);
        simulation.statics.enter(|| {
            let outcome = simulation.observe(kernel, args, observers);
            simulation.assume_written(kernel, args);
            outcome
        })
    }

    /// The launch as the simulator knows it, checked; only there can it be.
    pub(super) fn simulation(self, device: &Device) -> Result<Simulation> {
        self.refuse_order()?;
        let Backend::Simulator = device.backend() else {
            return Err(LaunchError::OnlySimulated { kernel: self.kernel.name() }.into());
        };
        let shape = self.shape()?;
        check::arguments(self.kernel, self.args, device)?;
        Simulation::new(device, self.kernel, self.setup, &shape)
    }

    /// Runs the launch on the simulator as a GPU will run it, with copies of the memory that it reaches there.
    ///
    /// # Errors
    /// The errors of [`Launch::launch_observed`]; [`LaunchError::NotCopied`].
    fn predict(self, gpu: &Gpu, observers: &[&dyn Observer]) -> Result<Copies> {
        let (shape, kernel) = (self.shape()?, self.kernel);
        gpu.take_fault()?;
        let module = compile::known_module(kernel)?;
        let copies = Copies::new(gpu, kernel, module.module(), self.args)?;
        let setup = self.setup.for_simulator();
        let simulation = Simulation::new(&Device::simulator(), kernel, &setup, &shape)?;
        let observe = || simulation.observe(kernel, &copies.args, observers);
        simulation.statics.enter(|| copies.with_statics(observe))?;
        Ok(copies)
    }
}

impl Setup {
    /// The same launch without streams, events and hints, which the simulator has not.
    fn for_simulator(&self) -> Self {
        let attributes = Attributes { cooperative: self.attributes.cooperative, ..Attributes::default() };
        let Self { grid, block, cluster, no_extent, dynamic_shared, seed, order, coarsen, .. } = *self;
        let gpu_checks = None;
        Self { grid, block, cluster, no_extent, dynamic_shared, attributes, seed, gpu_checks, order, coarsen }
    }
}

impl Simulation {
    pub(super) fn new(
        device: &Device,
        kernel: &dyn AnyKernel,
        setup: &Setup,
        shape: &LaunchShape,
    ) -> Result<Self> {
        let module = compile::known_module(kernel)?;
        let attributes = &module.module().attributes;
        check::simulator(kernel.name(), shape, module.module(), &setup.attributes)?;
        let coarsen = setup.coarsening(kernel.name(), attributes.coarsen)?;
        // The attribute's setting was checked when the kernel was recorded.
        if let Some(factor) = coarsen.filter(|factor| Some(*factor) != attributes.coarsen) {
            passes::coarsen(&module, factor)?;
        }
        let mut settings = device.simulator_settings()?;
        if setup.seed != 0 {
            settings.seed = setup.seed;
        }
        Ok(Self {
            shape: *shape,
            cooperative: setup.attributes.cooperative,
            programmatic: setup.attributes.programmatic,
            registers: attributes.max_threads.map(|threads| registers(threads, attributes.min_blocks)),
            cluster: shape.cluster.or(attributes.cluster).unwrap_or([1; 3]),
            rendezvous: module.uses_rendezvous(),
            noalias: attributes.noalias,
            settings,
            module,
            checked: true,
            coarsen,
            coarsens: setup.coarsening_of(kernel.name(), coarsen, shape, &[])?.is_some(),
            barriers: device.barrier_log().cloned(),
            statics: device.statics().clone(),
        })
    }

    /// Whether printed CUDA compares indices with lengths.
    pub fn with_checks(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// The device statics of the device.
    pub(super) fn statics(&self) -> &Arc<Statics> {
        &self.statics
    }

    pub(super) fn module(&self) -> &ValidModule {
        &self.module
    }

    /// Its shape.
    pub(super) fn shape(&self) -> &LaunchShape {
        &self.shape
    }

    /// How it is simulated.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns whether slices must not overlap.
    pub(super) fn noalias(&self) -> bool {
        self.noalias
    }

    pub(super) fn run(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<()> {
        self.statics.enter(|| {
            let outcome = self.run_watched(kernel, args);
            if !self.sees_writes() {
                self.assume_written(kernel, args);
            }
            outcome
        })
    }

    /// Returns whether the launch runs in a way in which its writes are seen.
    fn sees_writes(&self) -> bool {
        let blind = matches!(self.settings.executor, Executor::Twin | Executor::Printed);
        let interpreted = !blind || self.barriers.is_some();
        interpreted && self.settings.checks.initialisation
    }

    /// Memory that a launch may have written unseen counts as written.
    pub(super) fn assume_written(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) {
        if !global::is_all_written() {
            let memory = writable::of_launch(self.module.module(), args, kernel.params());
            let hidden = writable::reaches_further(&self.module.module().kernel);
            global::assume_written(memory.iter().map(Writable::addresses), hidden);
        }
    }

    fn run_watched(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<()> {
        if self.settings.executor == Executor::All && self.barriers.is_none() {
            return self.run_all(kernel, args);
        }
        self.run_one(kernel, args)
    }

    /// Runs a launch as the executor says; on all of them it is that on both.
    pub(super) fn run_one(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<()> {
        if let Some(log) = &self.barriers {
            log.add(self.barriers(kernel, args)?);
            return Ok(());
        }
        #[cfg(feature = "report")]
        if let Some(page) = WantedPage::new(kernel, &self.shape)
            && self.run_for_page(&page, kernel, args)?
        {
            return Ok(());
        }
        if self.settings.overlap_launches {
            return overlap::run(self, |checkers, overlaps| {
                self.run_checked(kernel, args, checkers, overlaps)
            });
        }
        self.run_checked(kernel, args, &self.checkers(), false)
    }

    /// Runs a launch with these checks, which know the launch before it if this one overlaps it.
    fn run_checked(
        &self,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
        checkers: &Checkers,
        overlaps: bool,
    ) -> Result<()> {
        let executor = self.settings.executor;
        let observers: Vec<&dyn Observer> = checkers.observers().collect();
        let launch = SimLaunch { overlaps, ..self.launch(kernel, args, &observers)? };
        let unwatched = SimLaunch { observers: &[], ..launch.clone() };
        if executor == Executor::Printed {
            return self.run_printed(kernel, &unwatched, args);
        }
        let by_twin = || kernel.run_thread(args);
        let twin = || simulator::run(&unwatched, &by_twin);
        if executor == Executor::Twin {
            twin()?;
            return Ok(());
        }
        let run = match self.prepare(kernel, &launch, args) {
            Ok(run) => run,
            Err(refused) => {
                unchecked(&refused);
                let outcome = twin();
                self.assume_written(kernel, args);
                outcome?;
                return Ok(());
            }
        };
        let by_interpreter = || run.thread();
        if matches!(executor, Executor::Both | Executor::All) {
            match compared::refused(self.module.module(), kernel.params()) {
                Some(why) => compared::not_compared(kernel.name(), &why),
                None => {
                    let memory = writable::of_launch(self.module.module(), args, kernel.params());
                    compared::run(&launch, &memory, &by_interpreter, &by_twin)
                        .map_err(|fault| compared::explained(fault, &self.module))?;
                    return Ok(());
                }
            }
        }
        simulator::run(&launch, &by_interpreter)?;
        Ok(())
    }

    /// The observers that look for faults in accesses; the twin reports none.
    fn checkers(&self) -> Checkers {
        let twin = matches!(self.settings.executor, Executor::Twin | Executor::Printed);
        Checkers::new(&if twin { SimChecks::NONE } else { self.settings.checks })
    }

    /// Runs a launch that shall have a page on the interpreter, with the checks that it would have there; says
    /// whether that can run it.
    #[cfg(feature = "report")]
    fn run_for_page(&self, page: &WantedPage, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<bool> {
        let checkers = self.checkers();
        let mut observers: Vec<&dyn Observer> = checkers.observers().collect();
        observers.push(&page.metrics);
        match self.observe(kernel, args, &observers) {
            Err(Error::Simulator(refused)) if matches!(*refused, SimFault::NotInterpreted { .. }) => {
                eprintln!("warpsmith: no page of kernel `{}`: {refused}", kernel.name());
                Ok(false)
            }
            Err(error) => Err(error),
            Ok(()) => page.write(&self.module, kernel, args).map(|()| true),
        }
    }

    /// Runs a launch on the interpreter, which tells `observers`.
    fn observe(&self, kernel: &dyn AnyKernel, args: &[KernelArg], observers: &[&dyn Observer]) -> Result<()> {
        let launch = self.launch(kernel, args, observers)?;
        let run = self.prepare(kernel, &launch, args)?;
        simulator::run(&launch, &|| run.thread())?;
        Ok(())
    }

    /// The launch as the machine runs it.
    pub(super) fn launch<'l>(
        &self,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
        observers: &'l [&'l dyn Observer],
    ) -> Result<SimLaunch<'l>> {
        if self.noalias {
            check::overlap(kernel, args)?;
        }
        Ok(SimLaunch {
            kernel: kernel.name(),
            grid: self.shape.grid,
            block: self.shape.block,
            cluster: self.cluster,
            dynamic_shared: self.shape.dynamic_shared as usize,
            rendezvous: self.rendezvous,
            cooperative: self.cooperative,
            registers: self.registers,
            overlaps: false,
            settings: self.settings.clone(),
            without: None,
            prints: Prints::Shown,
            observers,
            slices: slices(kernel.params(), args),
        })
    }

    /// The kernel's IR with these arguments, to be run.
    pub(super) fn prepare(
        &self,
        kernel: &dyn AnyKernel,
        launch: &SimLaunch<'_>,
        args: &[KernelArg],
    ) -> std::result::Result<InterpretedLaunch, SimFault> {
        let options =
            LowerOptions::of(&self.settings, simulator::interests(launch.observers), sources::LIBRARY);
        let program = interpreter::program(kernel, &self.module, options);
        let program = program.map_err(|refused| SimFault::NotInterpreted {
            kernel: kernel.name().to_owned(),
            what: refused.what,
            file: refused.at.file.to_owned(),
            line: refused.at.line,
        })?;
        let arguments = Argument::of(&program, args);
        Ok(InterpretedLaunch::new(program, 0, kernel.name(), arguments, rules(&launch.settings)))
    }
}

/// Registers of each thread at the start of a kernel that sets them itself, as the compiler chooses them for blocks of this
/// size and this number of resident blocks.
fn registers(threads: u32, blocks: Option<u32>) -> u32 {
    (limits::ALL_REGISTERS / (threads * blocks.unwrap_or(1)).max(1) / 8 * 8).min(limits::REGISTERS + 1)
}

/// The slices among the arguments, by name, with their addresses.
fn slices(names: &[&'static str], args: &[KernelArg]) -> Vec<(&'static str, Range<usize>)> {
    let slice = |(name, arg): (&&'static str, &KernelArg)| match arg {
        KernelArg::Slice { ptr, bytes, .. } => Some((*name, *ptr as usize..(*ptr + *bytes) as usize)),
        KernelArg::TensorMap { map, .. } => {
            let range = map.range();
            Some((*name, range.start as usize..range.end as usize))
        }
        KernelArg::Image { .. } | KernelArg::Value(_) => None,
    };
    names.iter().zip(args).filter_map(slice).collect()
}

/// Reports on stderr, once for each reason, that a kernel's twin runs without checks, since the interpreter cannot run it.
fn unchecked(refused: &SimFault) {
    if let SimFault::NotInterpreted { kernel, what, file, line } = refused {
        compared::say_once(format!(
            "kernel `{kernel}` runs unchecked, by its twin: the interpreter does not run {what} at {file}:{line}"
        ));
    }
}
