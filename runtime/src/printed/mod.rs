//! The printed CUDA as an executor of the simulator: the text that NVRTC would get is compiled by the host's C++ compiler and
//! run on the simulator's machine.
//!
//! A printed text comes in. It is rewritten where CUDA is not C++ (`text.rs`), compiled with a shim (`library.rs`,
//! `shim.rs`), and loaded; each simulated thread then calls the kernel's C++ function (`run.rs`). Barriers, warp operations,
//! clusters, shared memory, copies and clocks are calls of the same functions of [`context`](crate::simulator::context) that
//! the twin's builtins call (`machine.rs`); numeric functions are those that the twin calls (`numeric.rs`). So it tests what
//! no other executor on a CPU does: the text.
//!
//! Reports nothing to observers: only the interpreter finds races and unwritten reads, and counts metrics. Independent of the
//! IR.
//!
//! A loaded text stays loaded: a process that runs hundreds of thousands of texts, as a fuzzer may, is better split, since
//! each library takes a few of the kernel's mappings. Made for Linux; g++ 12 is what it is tested with.
//!
//! It refuses, with a message, PTX instructions that the shim does not have, and hand-written CUDA that no C++ compiler
//! takes.

mod asm;
mod boxes;
mod bulk;
mod compiler;
mod functions;
mod host;
mod images;
mod library;
mod machine;
mod numeric;
mod run;
mod shim;
mod tensor_cores;
mod text;
mod wgmma;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

pub use crate::simulator::{Refused, Sanitizers};
pub(crate) use run::{PrintedLaunch, Reachable, Text};

use crate::codegen::{Checks, CudaSource};
use crate::compile;
use crate::compile::kernel::AnyKernel;
use crate::driver::{Shown, Version};
use crate::ir::Location;
use crate::passes;
use crate::sources::is_library;
use crate::validate::ValidModule;
use compiler::Compiler;
use library::Unit;
use warpsmith_lang::kernel_map::KernelMap;

/// Whether there is a C++ compiler to run printed CUDA with.
///
/// # Errors
/// [`Refused::NoCompiler`], which says what to install.
pub fn compiler() -> Result<String, Refused> {
    Compiler::process().map(|compiler| compiler.version.build.clone())
}

/// How a text is printed and compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextOptions {
    pub version: Version,
    pub sanitizers: Sanitizers,
}

type Compiled = Result<Arc<Text>, Refused>;

/// The texts of all kernels that were launched.
fn known() -> MutexGuard<'static, KernelMap<TextOptions, Compiled>> {
    static KNOWN: LazyLock<Mutex<KernelMap<TextOptions, Compiled>>> = LazyLock::new(Mutex::default);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kernel's text, compiled at its first launch.
pub(crate) fn text(kernel: &dyn AnyKernel, module: &ValidModule, wanted: TextOptions) -> Compiled {
    if let Some(text) = known().get(kernel, &wanted) {
        return text.clone();
    }
    // Compiling takes long, and other kernels do not wait for it.
    let made = loaded(printed(module, wanted), kernel.at(), wanted.sanitizers);
    known().add(kernel, wanted, made).clone()
}

/// Compiles texts of a kernel that are new in one call of the compiler; [`text`] then has them.
pub(crate) fn compile_together(kernel: &dyn AnyKernel, module: &ValidModule, wanted: [TextOptions; 2]) {
    let [first, second] = wanted;
    if first == second || wanted.iter().any(|wanted| known().get(kernel, wanted).is_some()) {
        return;
    }
    let made = wanted.map(|wanted| printed(module, wanted));
    if let [Ok((_, first)), Ok((_, second))] = &made {
        library::compile_together(&[first, second], wanted[0].sanitizers);
    }
    for (wanted, made) in wanted.into_iter().zip(made) {
        let made = loaded(made, kernel.at(), wanted.sanitizers);
        known().add(kernel, wanted, made);
    }
}

/// A text, and the same for the host's compiler.
type Printed = Result<(CudaSource, Unit), Refused>;

fn printed(module: &ValidModule, wanted: TextOptions) -> Printed {
    let source = compile::print(module, wanted.version, true);
    let source = source.map_err(|e| Refused::NotPrinted(e.to_string()))?;
    let unit = unit(&source, wanted.sanitizers)?;
    Ok((source, unit))
}

fn loaded(printed: Printed, at: Location, sanitizers: Sanitizers) -> Compiled {
    let (source, unit) = printed?;
    let exports = library::loaded(&unit, sanitizers)?;
    Ok(Arc::new(Text { source, exports, at, statics: Mutex::default() }))
}

fn unit(source: &CudaSource, sanitizers: Sanitizers) -> Result<Unit, Refused> {
    let identity = Compiler::process()?.identity(sanitizers);
    let symbols = source.globals.iter().map(|(_, symbol)| symbol.clone()).collect();
    Ok(Unit::new(
        text::for_host(&source.complete(), &source.operations, &library_functions(source))?,
        source.kernel_name.clone(),
        symbols,
        &identity,
    ))
}

/// The functions of a text that are this library's: a fault in one stands at the line of the user's code that calls it.
fn library_functions(source: &CudaSource) -> BTreeSet<&str> {
    let of_library = source.functions.iter().filter(|(_, at)| is_library(at.file));
    of_library.map(|(name, _)| name.as_str()).collect()
}

/// Compiles texts ahead of their launches, which then find them in memory: many in one call of the compiler, whose start
/// is most of what one text costs.
///
/// [`launch_texts`] gives those of a kernel; a text that is printed otherwise needs `line_directives`. A text that is refused
/// or does not compile is an error of its launch, not of this.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith::printed::{Sanitizers, compile_ahead, launch_texts};
///
/// #[gpu_kernel]
/// fn double(x: &mut [f32]) {
///     let i = global_id();
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let texts = launch_texts(&double::module(&())?, true)?;
/// if let Err(missing) = compile_ahead(&texts, Sanitizers::NONE) {
///     println!("{missing}");
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Refused::NoCompiler`].
pub fn compile_ahead(texts: &[CudaSource], sanitizers: Sanitizers) -> Result<(), Refused> {
    Compiler::process()?;
    let units: Vec<Unit> = texts.iter().filter_map(|source| unit(source, sanitizers).ok()).collect();
    library::compile_ahead(&units, sanitizers)
}

/// The texts that most launches of a kernel run, because they fulfil all of its conditions. With `checked`, the texts are
/// those of [`launch`](crate::Launch::launch), otherwise those of [`launch_unchecked`](crate::Launch::launch_unchecked). A
/// coarsened kernel has a second text.
///
/// # Errors
/// An error of printing.
pub fn launch_texts(module: &ValidModule, checked: bool) -> crate::Result<Vec<CudaSource>> {
    let kernel = module.module();
    let shown = Shown::ALL.of(kernel.fits.len(), passes::read_only(module));
    let checks = if checked { Checks::fulfilling_all(kernel.conditions.len()) } else { Checks::None };
    let coarsened = kernel.attributes.coarsen.map(|factor| Version::coarsened(checks, factor)[0]);
    let versions = [Some(Version::of_launch(checks, shown)), coarsened];
    versions.into_iter().flatten().map(|version| compile::print(module, version, true)).collect()
}

#[cfg(test)]
mod tests;
