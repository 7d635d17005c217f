//! A kernel from its Rust to a cubin, and onto a device: one at a time or many at once.
//!
//! A kernel's type and its comptime values come in. Its CUDA, a cubin from the cache or NVRTC, and the function that the
//! driver loaded go out. This module is independent of launches.

mod ahead;
pub mod aot;
pub mod dump;
mod forms;
pub mod kernel;
mod loaded;

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::cache::{Cache, Key};
use crate::codegen::{self, Checks, CudaSource, Needs, PrintOptions};
use crate::deep_stack;
use crate::driver::{Recorded, Shown, Version, parameter_bytes};
use crate::host::device::{Backend, Device};

use crate::error::LaunchError;
use crate::error::{Error, Result};
use crate::ir::{KernelAttributes, Module, Requirements};
use crate::nvrtc::{self, Arch, CompileOptions, Cubin, DebugInfo, NvrtcError};
use crate::passes;
use crate::record::RecordError;
use crate::resources::{BoundsEffect, Resources, check_demands};
use crate::settings::PipelineSettings;
use crate::validate::{self, ValidModule};
pub(crate) use forms::Forms;
use kernel::{AnyKernel, Kernel};
use warpsmith_lang::kernel_map::KernelMap;

/// A kernel's printed CUDA, and its cubin for one architecture.
pub(crate) struct Compiled {
    pub source: CudaSource,
    pub cubin: Arc<Cubin>,
}

/// A kernel before it is compiled.
struct CompileJob {
    source: CudaSource,
    options: CompileOptions,
    /// The author's demands on the machine code.
    requires: Requirements,
}

impl CompileJob {
    fn new(kernel: &dyn AnyKernel, version: Version, compute: (u32, u32), lines: bool) -> Result<Self> {
        Self::named(kernel.name(), &module(kernel)?, version, compute, lines)
    }

    fn named(
        kernel: &'static str,
        module: &ValidModule,
        version: Version,
        compute: (u32, u32),
        lines: bool,
    ) -> Result<Self> {
        let debug_info = PipelineSettings::process()?.debug_info;
        // `#line` alone would make a kernel another one when a line above it is added.
        let line_directives = debug_info != DebugInfo::None || lines;
        let source = print(module, version, line_directives)?;
        if source.needs.min_compute > compute {
            let needs = source.needs.min_compute;
            return Err(LaunchError::Compute { kernel, needs, has: compute }.into());
        }
        // The launch checks the limits of the installed driver.
        let limit = parameter_bytes(compute, u32::MAX);
        LaunchError::check_parameter_bytes(kernel, source.needs.parameter_bytes, limit)?;
        let arch = Arch { major: compute.0, minor: compute.1, specific: source.needs.arch_specific };
        let KernelAttributes { fmad, requires, .. } = module.module().attributes;
        // With checks of every access, which take registers and calls, a kernel need not meet its author's demands.
        let requires = if let Checks::Also(_) = version.checks { Requirements::NONE } else { requires };
        let warns_of_local_memory = requires.no_spills || requires.no_local_memory;
        let relocatable = source.needs.launches;
        let options = CompileOptions { arch, fmad, debug_info, relocatable, warns_of_local_memory };
        Ok(Self { source, options, requires })
    }

    /// The cubin, from the cache or NVRTC, if it fulfils the author's demands.
    fn cubin(&self, kernel: &'static str) -> Result<Arc<Cubin>> {
        let cubin = Cache::process()?.get(&self.source.complete(), kernel, &self.options)?;
        check_demands(kernel, self.requires, &cubin.log, "")?;
        Ok(cubin)
    }

    fn key(&self, kernel: &'static str) -> Key {
        Key {
            kernel: kernel.to_owned(),
            source: self.source.complete().into_owned(),
            options: self.options.clone(),
        }
    }
}

/// The text of a version.
///
/// # Errors
/// A kernel that cannot be coarsened.
pub(crate) fn print(module: &ValidModule, version: Version, line_directives: bool) -> Result<CudaSource> {
    let options = PrintOptions { checks: version.checks, line_directives };
    Ok(codegen::print(passed(module, version)?.as_ref(), &options))
}

/// The module that a version prints.
pub(crate) fn passed(module: &ValidModule, version: Version) -> Result<Cow<'_, ValidModule>> {
    Ok(match (version.coarsen, version.shown) {
        (Some(factor), shown) => {
            let coarsened = passes::coarsen(module, factor)?;
            Cow::Owned(match shown {
                Some(Shown { fits: 1.., .. }) => passes::narrow_coarsened(coarsened),
                _ => coarsened,
            })
        }
        (None, Some(shown)) => {
            let narrow = passes::narrow(module, shown.fits);
            Cow::Owned(passes::mark_read_only(narrow, shown.read_only))
        }
        (None, None) => Cow::Borrowed(module),
    })
}

/// [`Kernel::record`].
pub(crate) fn record(kernel: &dyn AnyKernel) -> std::result::Result<Module, RecordError> {
    deep_stack::run(|| warpsmith_lang::kernel::record(kernel))
}

/// [`Kernel::module`].
pub(crate) fn module(kernel: &dyn AnyKernel) -> Result<ValidModule> {
    deep_stack::run(|| {
        let valid = validate::validate(record(kernel)?)?;
        let module = passes::lift(passes::elide(valid));
        if let Some(factor) = module.module().attributes.coarsen {
            passes::coarsen(&module, factor)?;
        }
        Ok(module)
    })
}

/// The same, made at its first use: each launch on the simulator needs it.
pub(crate) fn known_module(kernel: &dyn AnyKernel) -> Result<Arc<ValidModule>> {
    static KNOWN: LazyLock<Mutex<KernelMap<(), Arc<ValidModule>>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = known().get(kernel, &()) {
        return Ok(Arc::clone(module));
    }
    let module = Arc::new(module(kernel)?);
    Ok(Arc::clone(known().add(kernel, (), module)))
}

/// [`Kernel::launch_conditions_for`].
pub(crate) fn launch_conditions(kernel: &dyn AnyKernel) -> Result<Vec<String>> {
    Ok(module(kernel)?.module().conditions.iter().map(ToString::to_string).collect())
}

/// [`Kernel::print`].
pub(crate) fn source(kernel: &dyn AnyKernel, options: &PrintOptions) -> Result<CudaSource> {
    let module = module(kernel)?;
    let also = matches!(options.checks, Checks::Also(checks) if checks.any());
    let coarsen = module.module().attributes.coarsen.filter(|_| !also);
    print(&module, Version { coarsen, ..options.checks.into() }, options.line_directives)
}

/// [`Kernel::compile`].
pub(crate) fn ahead(device: &Device, kernel: &dyn AnyKernel) -> Result<()> {
    match (device.backend(), device.ahead()) {
        (Backend::Gpu(gpu), _) => gpu.loaded(kernel, of_most(gpu.recorded(kernel)?)).map(|_| ()),
        (_, Some(ahead)) => {
            let version = of_most(ahead.recorded(kernel)?);
            ahead.keep(kernel, ahead.text(kernel, version)?)
        }
        (Backend::Simulator, None) => module(kernel).map(|_| ()),
    }
}

/// The version that most launches run: they fulfil all conditions, and so do not need the other checks.
fn of_most(recorded: &Recorded) -> Version {
    let (coarsen, checks) = (recorded.coarsen, Checks::fulfilling_all(recorded.conditions.checks().len()));
    match coarsen {
        Some(_) => Version { coarsen, ..checks.into() },
        None => Version::of_launch(checks, recorded.most()),
    }
}

/// Compiles a kernel for a compute capability, or takes it from the cache.
///
/// # Errors
/// An error of recording, validation or compilation.
pub(crate) fn kernel(kernel: &dyn AnyKernel, version: Version, compute: (u32, u32)) -> Result<Compiled> {
    recorded(&module(kernel)?, kernel, version, compute)
}

/// Like [`kernel`], for the module that was recorded for it.
///
/// # Errors
/// The errors of [`kernel`].
pub(crate) fn recorded(
    module: &ValidModule,
    kernel: &dyn AnyKernel,
    version: Version,
    compute: (u32, u32),
) -> Result<Compiled> {
    let order = CompileJob::named(kernel.name(), module, version, compute, false)?;
    let cubin = compiled(kernel.name(), &order, || CompileJob::new(kernel, version, compute, true))?;
    let settings = PipelineSettings::process()?;
    if !settings.dump.is_empty() {
        let name = dump_name(kernel.type_name(), &order, version);
        dump::write(settings, &name, &order.source.code, &order.key(kernel.name()), &cubin)?;
    }
    Ok(Compiled { source: order.source, cubin })
}

/// The cubin; or the error of a kernel that does not compile, or not to what its author demands, with Rust lines.
fn compiled(
    kernel: &'static str,
    order: &CompileJob,
    with_lines: impl FnOnce() -> Result<CompileJob>,
) -> Result<Arc<Cubin>> {
    match order.cubin(kernel) {
        Err(Error::Nvrtc(NvrtcError::Compile { .. }) | Error::Launch(LaunchError::Required { .. }))
            if order.options.debug_info == DebugInfo::None =>
        {
            Err(explained(kernel, with_lines()?)?)
        }
        made => made,
    }
}

fn explained(kernel: &'static str, mut order: CompileJob) -> Result<Error> {
    if order.requires.any() {
        order.options.debug_info = DebugInfo::Lines;
    }
    let made = Cache::process()?.get(&order.source.complete(), kernel, &order.options);
    let demands = |cubin: Arc<Cubin>| -> Result<()> {
        let ptx = nvrtc::ptx(&order.source.complete(), kernel, &order.options)?;
        Ok(check_demands(kernel, order.requires, &cubin.log, &ptx)?)
    };
    let compiles =
        || NvrtcError::Call { call: "nvrtcCompileProgram", result: "fails without #line only".into() }.into();
    Ok(made.map_err(Error::from).and_then(demands).err().unwrap_or_else(compiles))
}

/// A name that two specializations of a kernel do not share.
fn dump_name(kernel_type: &str, order: &CompileJob, version: Version) -> String {
    let checks = match version.checks {
        Checks::All => "",
        Checks::Lifted(_) => ".lifted",
        Checks::None => ".unchecked",
        Checks::Also(_) => ".watched",
    };
    let coarsened = if version.coarsen.is_some() { ".coarsened" } else { "" };
    let name = dump::file_name(kernel_type);
    let hash = xxhash_rust::xxh3::xxh3_64(order.source.code.as_bytes()) >> 32;
    format!("{name}@{hash:08x}.{}{checks}{coarsened}", order.options.arch)
}

/// The key under which a launch on a compute capability looks for its kernel.
pub(crate) fn key(kernel: &dyn AnyKernel, version: Version, compute: (u32, u32)) -> Result<Key> {
    Ok(CompileJob::new(kernel, version, compute, false)?.key(kernel.name()))
}

/// The needs of a version on a compute capability, which has what it needs.
///
/// # Errors
/// An error of recording, of validation, or of what the capability lacks.
pub(crate) fn needs(kernel: &dyn AnyKernel, version: Version, compute: (u32, u32)) -> Result<Needs> {
    Ok(CompileJob::new(kernel, version, compute, false)?.source.needs)
}

/// The cubin of a kernel for exactly one architecture.
pub(crate) fn cubin(kernel: &dyn AnyKernel, arch: &str) -> Result<Arc<Cubin>> {
    compiled(kernel.name(), &exact(kernel, arch, false)?, || exact(kernel, arch, true))
}

/// The PTX of a kernel for exactly one architecture.
pub(crate) fn ptx(kernel: &dyn AnyKernel, arch: &str) -> Result<String> {
    let order = exact(kernel, arch, false)?;
    Ok(nvrtc::ptx(&order.source.complete(), kernel.name(), &order.options)?)
}

/// The resources of a kernel on one architecture, as compiled for `launch`.
pub(crate) fn resources(kernel: &dyn AnyKernel, arch: &str) -> Result<Resources> {
    report(&exact(kernel, arch, false)?)
}

/// The resources of a kernel with some checks, on the architecture that a compute capability is compiled for.
pub(crate) fn resources_on(
    kernel: &dyn AnyKernel,
    version: Version,
    compute: (u32, u32),
) -> Result<Resources> {
    report(&CompileJob::new(kernel, version, compute, false)?)
}

/// The effect of launch bounds and a register cap on a kernel.
pub(crate) fn bounds_effect(kernel: &dyn AnyKernel, arch: &str) -> Result<BoundsEffect> {
    let mut order = exact(kernel, arch, false)?;
    let with = report(&order)?;
    let module = module(kernel)?;
    let attributes = module.module().attributes.clone();
    let free = module.rewrite(|module| {
        let all = &mut module.attributes;
        (all.max_threads, all.min_blocks, all.max_registers) = (None, None, None);
    });
    order.source = print(&free, own_version(&free), false)?;
    Ok(BoundsEffect::new(&attributes, with, report(&order)?))
}

fn report(order: &CompileJob) -> Result<Resources> {
    Resources::of(&order.source, &order.options)
}

/// The version that a launch with all checks compiles, if it says nothing of coarsening.
fn own_version(module: &ValidModule) -> Version {
    Version { checks: Checks::All, coarsen: module.module().attributes.coarsen, shown: None }
}

fn exact(kernel: &dyn AnyKernel, arch: &str, lines: bool) -> Result<CompileJob> {
    let arch: Arch = arch.parse()?;
    let module = module(kernel)?;
    let version = own_version(&module);
    let mut order = CompileJob::named(kernel.name(), &module, version, (arch.major, arch.minor), lines)?;
    if order.options.arch.specific && !arch.specific {
        return Err(NvrtcError::Specific { kernel: kernel.name().to_owned(), arch }.into());
    }
    order.options.arch = arch;
    Ok(order)
}

/// Compiles and loads one kernel.
type Compile = dyn Fn(&Device) -> Result<()> + Send + Sync;

/// A kernel with its comptime values, for a device that is not known yet.
pub struct Job {
    kernel: &'static str,
    compile: Box<Compile>,
}

impl Job {
    /// The kernel for these comptime values: `Job::new::<reduce>((256,))`.
    pub fn new<K: Kernel>(comptime: K::Comptime) -> Self {
        Self { kernel: K::NAME, compile: Box::new(move |device| K::compile(device, &comptime)) }
    }
}

/// Kernels that did not compile, each with its error, in the order they were given.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileErrors(pub Vec<(&'static str, Error)>);

impl fmt::Display for CompileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of the kernels cannot be compiled", self.0.len())?;
        self.0.iter().try_for_each(|(kernel, error)| write!(f, "\n`{kernel}`: {error}"))
    }
}

impl std::error::Error for CompileErrors {}

/// Compiles and loads kernels ahead of their first launch, on as many threads as there are cores.
///
/// On the simulator, kernels are recorded and validated.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith::{Job, compile_all};
///
/// #[gpu_kernel]
/// fn fill(y: &mut [u32], #[comptime] step: u32) {
///     let i = global_id();
///     if i < y.len() {
///         y[i] = i as u32 * step;
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Device::open()?;
/// compile_all(&gpu, [1, 2, 3].map(|step| Job::new::<fill>((step,))))?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The kernels that do not compile; the others are compiled nevertheless.
pub fn compile_all(
    device: &Device,
    jobs: impl IntoIterator<Item = Job>,
) -> std::result::Result<(), CompileErrors> {
    let jobs: Vec<Job> = jobs.into_iter().collect();
    let failed = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(i) else { break };
            if let Err(error) = (job.compile)(device) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push((i, job.kernel, error));
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (1..cores.min(jobs.len())).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|(i, ..)| *i);
    if failed.is_empty() {
        return Ok(());
    }
    Err(CompileErrors(failed.into_iter().map(|(_, kernel, error)| (kernel, error)).collect()))
}
