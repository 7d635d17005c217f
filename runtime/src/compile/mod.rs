//! A kernel from its Rust to a cubin, and onto a device: one at a time or many at once.
//!
//! A kernel's type and its comptime values come in. Its CUDA, a cubin from the cache or NVRTC, and the function that the
//! driver loaded go out. This module knows no launch.

pub mod aot;
pub mod dump;
pub mod kernel;
mod loaded;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::cache::{Cache, Key};
use crate::codegen::{self, Checks, CudaSource, PrintOptions};
use crate::driver::{Version, parameter_bytes};
use crate::host::device::Device;

use crate::error::LaunchError;
use crate::error::{Error, Result};
use crate::ir::{KernelAttributes, Requirements};
use crate::nvrtc::{self, Arch, CompileOptions, Cubin, DebugInfo, NvrtcError};
use crate::passes;
use crate::resources::{BoundsEffect, Resources, check_demands};
use crate::settings::PipelineSettings;
use crate::validate::ValidModule;
use kernel::Kernel;

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
    fn new<K: Kernel>(
        comptime: &K::Comptime,
        version: Version,
        compute: (u32, u32),
        lines: bool,
    ) -> Result<Self> {
        Self::of::<K>(&K::module(comptime)?, version, compute, lines)
    }

    fn of<K: Kernel>(
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
            let (kernel, needs) = (K::NAME, source.needs.min_compute);
            return Err(LaunchError::Compute { kernel, needs, has: compute }.into());
        }
        // The launch checks the limits of the installed driver.
        let limit = parameter_bytes(compute, u32::MAX);
        LaunchError::check_parameter_bytes(K::NAME, source.needs.parameter_bytes, limit)?;
        let arch = Arch { major: compute.0, minor: compute.1, specific: source.needs.arch_specific };
        let KernelAttributes { fmad, requires, .. } = module.module().attributes;
        let warns_of_local_memory = requires.no_spills || requires.no_local_memory;
        let relocatable = source.needs.launches;
        let options = CompileOptions { arch, fmad, debug_info, relocatable, warns_of_local_memory };
        Ok(Self { source, options, requires })
    }

    /// The cubin, from the cache or NVRTC, if it fulfils the author's demands.
    fn cubin<K: Kernel>(&self) -> Result<Arc<Cubin>> {
        let cubin = Cache::process()?.get(&self.source.code, K::NAME, &self.options)?;
        check_demands(K::NAME, self.requires, &cubin.log, "")?;
        Ok(cubin)
    }

    fn key<K: Kernel>(&self) -> Key {
        Key { kernel: K::NAME.to_owned(), source: self.source.code.clone(), options: self.options.clone() }
    }
}

/// The text of a version.
///
/// # Errors
/// A kernel that cannot be coarsened.
pub(crate) fn print(module: &ValidModule, version: Version, line_directives: bool) -> Result<CudaSource> {
    let options = PrintOptions { checks: version.checks, line_directives };
    Ok(match (version.coarsen, version.shown) {
        (Some(factor), _) => codegen::print(&passes::coarsen(module, factor)?, &options),
        (None, Some(shown)) => {
            let narrow = passes::narrow(module, shown.fits);
            codegen::print(&passes::mark_read_only(narrow, shown.read_only), &options)
        }
        (None, None) => codegen::print(module, &options),
    })
}

/// Compiles a kernel for a compute capability, or takes it from the cache.
///
/// # Errors
/// An error of recording, validation or compilation.
pub(crate) fn kernel<K: Kernel>(
    comptime: &K::Comptime,
    version: Version,
    compute: (u32, u32),
) -> Result<Compiled> {
    recorded::<K>(&K::module(comptime)?, comptime, version, compute)
}

/// Like [`kernel`], for the module that was recorded for these comptime values.
///
/// # Errors
/// The errors of [`kernel`].
pub(crate) fn recorded<K: Kernel>(
    module: &ValidModule,
    comptime: &K::Comptime,
    version: Version,
    compute: (u32, u32),
) -> Result<Compiled> {
    let order = CompileJob::of::<K>(module, version, compute, false)?;
    let cubin = compiled::<K>(&order, || CompileJob::new::<K>(comptime, version, compute, true))?;
    let settings = PipelineSettings::process()?;
    if !settings.dump.is_empty() {
        dump::write(settings, &dump_name::<K>(&order, version), &order.key::<K>(), &cubin)?;
    }
    Ok(Compiled { source: order.source, cubin })
}

/// The cubin; or the error of a kernel that does not compile, or not to what its author demands, with Rust lines.
fn compiled<K: Kernel>(
    order: &CompileJob,
    with_lines: impl FnOnce() -> Result<CompileJob>,
) -> Result<Arc<Cubin>> {
    match order.cubin::<K>() {
        Err(Error::Nvrtc(NvrtcError::Compile { .. }) | Error::Launch(LaunchError::Required { .. }))
            if order.options.debug_info == DebugInfo::None =>
        {
            Err(explained::<K>(with_lines()?)?)
        }
        made => made,
    }
}

fn explained<K: Kernel>(mut order: CompileJob) -> Result<Error> {
    if order.requires.any() {
        order.options.debug_info = DebugInfo::Lines;
    }
    let made = Cache::process()?.get(&order.source.code, K::NAME, &order.options);
    let demands = |cubin: Arc<Cubin>| -> Result<()> {
        let ptx = nvrtc::ptx(&order.source.code, K::NAME, &order.options)?;
        Ok(check_demands(K::NAME, order.requires, &cubin.log, &ptx)?)
    };
    let compiles =
        || NvrtcError::Call { call: "nvrtcCompileProgram", result: "fails without #line only".into() }.into();
    Ok(made.map_err(Error::from).and_then(demands).err().unwrap_or_else(compiles))
}

/// A name that two specializations of a kernel do not share.
fn dump_name<K: Kernel>(order: &CompileJob, version: Version) -> String {
    let checks = match version.checks {
        Checks::All => "",
        Checks::Lifted(_) => ".lifted",
        Checks::None => ".unchecked",
        Checks::Also(_) => ".watched",
    };
    let coarsened = if version.coarsen.is_some() { ".coarsened" } else { "" };
    let name = dump::file_name(std::any::type_name::<K>());
    let hash = xxhash_rust::xxh3::xxh3_64(order.source.code.as_bytes()) >> 32;
    format!("{name}@{hash:08x}.{}{checks}{coarsened}", order.options.arch)
}

/// The key under which a launch on a compute capability looks for its kernel.
pub(crate) fn key<K: Kernel>(comptime: &K::Comptime, version: Version, compute: (u32, u32)) -> Result<Key> {
    Ok(CompileJob::new::<K>(comptime, version, compute, false)?.key::<K>())
}

/// The cubin of a kernel for exactly one architecture.
pub(crate) fn cubin<K: Kernel>(comptime: &K::Comptime, arch: &str) -> Result<Arc<Cubin>> {
    compiled::<K>(&exact::<K>(comptime, arch, false)?, || exact::<K>(comptime, arch, true))
}

/// The PTX of a kernel for exactly one architecture.
pub(crate) fn ptx<K: Kernel>(comptime: &K::Comptime, arch: &str) -> Result<String> {
    let order = exact::<K>(comptime, arch, false)?;
    Ok(nvrtc::ptx(&order.source.code, K::NAME, &order.options)?)
}

/// The resources of a kernel on one architecture, as compiled for `launch`.
pub(crate) fn resources<K: Kernel>(comptime: &K::Comptime, arch: &str) -> Result<Resources> {
    report(&exact::<K>(comptime, arch, false)?)
}

/// The resources of a kernel with some checks, on the architecture that a compute capability is compiled for.
pub(crate) fn resources_on<K: Kernel>(
    comptime: &K::Comptime,
    version: Version,
    compute: (u32, u32),
) -> Result<Resources> {
    report(&CompileJob::new::<K>(comptime, version, compute, false)?)
}

/// The effect of launch bounds and a register cap on a kernel.
pub(crate) fn bounds_effect<K: Kernel>(comptime: &K::Comptime, arch: &str) -> Result<BoundsEffect> {
    let mut order = exact::<K>(comptime, arch, false)?;
    let with = report(&order)?;
    let module = K::module(comptime)?;
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

fn exact<K: Kernel>(comptime: &K::Comptime, arch: &str, lines: bool) -> Result<CompileJob> {
    let arch: Arch = arch.parse()?;
    let module = K::module(comptime)?;
    let version = own_version(&module);
    let mut order = CompileJob::of::<K>(&module, version, (arch.major, arch.minor), lines)?;
    if order.options.arch.specific && !arch.specific {
        return Err(NvrtcError::Specific { kernel: K::NAME.to_owned(), arch }.into());
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
