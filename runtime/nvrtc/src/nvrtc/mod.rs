//! Compiles CUDA C++ to a cubin with NVRTC.
//!
//! Source text and options come in, and machine code for one architecture goes out. Kernels that launch kernels are linked
//! with CUDA's device runtime. This module knows nothing of kernels, devices or caches. A missing library is an error,
//! never a panic.

mod defects;
mod driver_link;
#[doc(hidden)]
pub mod elf;
mod libraries;
mod library;
mod link;
mod program;

#[doc(hidden)]
pub use library::{Sighting, known_version, loaded_version, surroundings};
pub use library::{Version, version};
pub use link::link;

use std::str::FromStr;

use cudarc::nvrtc::sys;
use program::Program;

/// A GPU architecture: `sm_80`, `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arch {
    /// Major compute capability.
    pub major: u32,
    /// Minor compute capability.
    pub minor: u32,
    /// Whether to use the target with architecture-specific instructions (`a`).
    pub specific: bool,
}

impl FromStr for Arch {
    type Err = NvrtcError;

    /// Reads `sm_90` or `sm_90a`: the last digit is the minor capability.
    fn from_str(text: &str) -> Result<Self, NvrtcError> {
        let wrong = || NvrtcError::Arch { text: text.to_owned() };
        let number = text.strip_prefix("sm_").ok_or_else(wrong)?;
        let (digits, specific) = number.strip_suffix('a').map_or((number, false), |digits| (digits, true));
        let plain = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let capability: u32 = digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
        Ok(Self { major: capability / 10, minor: capability % 10, specific })
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}{}", self.major, self.minor, if self.specific { "a" } else { "" })
    }
}

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// For which architecture.
    pub arch: Arch,
    /// Whether `a * b + c` may become a fused multiply-add.
    pub fmad: bool,
    /// The information for profilers and debuggers.
    pub debug_info: DebugInfo,
    /// Whether kernels launch kernels: the code is relocatable and linked with CUDA's device runtime.
    pub relocatable: bool,
    /// Whether the log names registers that are spilled and other local memory, as warnings.
    pub warns_of_local_memory: bool,
}

impl CompileOptions {
    /// The options of an ordinary kernel.
    pub fn new(arch: Arch) -> Self {
        Self {
            arch,
            fmad: true,
            debug_info: DebugInfo::None,
            relocatable: false,
            warns_of_local_memory: false,
        }
    }
}

/// The information of a cubin for profilers and debuggers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DebugInfo {
    /// No information.
    #[default]
    None,
    /// The Rust line of each instruction. The code is the same.
    Lines,
    /// Lines and variables, for cuda-gdb. The code is not optimised.
    Full,
}

/// Machine code, and the compiler's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The ELF image.
    pub image: Vec<u8>,
    /// Warnings; empty when there were none.
    pub log: String,
}

/// Why there is no cubin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NvrtcError {
    /// The library cannot be loaded.
    #[error(
        "NVRTC is missing: libnvrtc is not on the library path; install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` \
         and add its lib folder to LD_LIBRARY_PATH"
    )]
    Missing,
    /// A library lacks a function.
    #[error("{library} has no `{symbol}`: it is too old, or a stub to link with; {way}")]
    Symbol {
        /// The library.
        library: &'static str,
        /// The function.
        symbol: String,
        /// The package to install.
        way: &'static str,
    },
    /// The CUDA did not compile.
    #[error("kernel `{kernel}` did not compile for {arch}:\n{log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The architecture.
        arch: Arch,
        /// NVRTC's messages, with Rust files and lines where the source has `#line`.
        log: String,
    },
    /// A text that names no architecture.
    #[error(
        "`{text}` is not an architecture; write `sm_` and the compute capability, as `sm_80` or `sm_90a`"
    )]
    Arch {
        /// The text.
        text: String,
    },
    /// The kernel needs instructions that only the specific target has.
    #[error("kernel `{kernel}` needs architecture-specific instructions; ask for `{arch}a`")]
    Specific {
        /// The kernel.
        kernel: String,
        /// The architecture asked for.
        arch: Arch,
    },
    /// CUDA's device runtime is not installed.
    #[error(
        "a kernel launches kernels, which needs {library}: it was not found ({looked}); install the CUDA toolkit or \
         `pip install nvidia-cuda-runtime`, or set {variable} to its path"
    )]
    DeviceRuntime {
        /// The library.
        library: &'static str,
        /// The environment variable that names it.
        variable: &'static str,
        /// The places that were searched.
        looked: String,
    },
    /// There is no linker.
    #[error(
        "a kernel launches kernels, which needs a linker: without a GPU that is nvJitLink; `pip install nvidia-nvjitlink` of NVRTC's \
         major version and add its lib folder to LD_LIBRARY_PATH"
    )]
    NoLinker,
    /// The code did not link.
    #[error("kernel `{kernel}` did not link for {arch} by {linker}: {log}")]
    Link {
        /// The kernel.
        kernel: String,
        /// The architecture.
        arch: Arch,
        /// Whose linker.
        linker: &'static str,
        /// Its words.
        log: String,
    },
    /// NVRTC itself failed.
    #[error("NVRTC failed at {call}: {result}")]
    Call {
        /// The function.
        call: &'static str,
        /// Its result.
        result: String,
    },
}

/// Compiles one kernel's source, and links it where it launches kernels.
///
/// # Errors
/// [`NvrtcError::Compile`] with the log; [`NvrtcError::Missing`] without the library; what [`link`] refuses.
pub fn compile(source: &str, kernel: &str, options: &CompileOptions) -> Result<Cubin, NvrtcError> {
    let object = compile_object(source, kernel, options)?;
    if !options.relocatable {
        return Ok(object);
    }
    Ok(Cubin { image: link(&object.image, kernel, options.arch)?, log: object.log })
}

/// Compiles one kernel's source; relocatable code still has to be linked, which is no GPU's business.
///
/// # Errors
/// [`NvrtcError::Compile`] with the log; [`NvrtcError::Missing`] without the library.
pub fn compile_object(source: &str, kernel: &str, options: &CompileOptions) -> Result<Cubin, NvrtcError> {
    assembled(source, kernel, options.arch, flags(options))
}

/// Compiles to machine code that the assembler's known defects have left alone.
fn assembled(source: &str, kernel: &str, arch: Arch, mut flags: Vec<String>) -> Result<Cubin, NvrtcError> {
    let (program, log) = run(source, kernel, arch, &flags)?;
    let cubin = Cubin { image: program.cubin()?, log };
    if !defects::compares_in_relu(&cubin.image) {
        return Ok(cubin);
    }
    eprintln!("warpsmith: kernel `{kernel}`: {}", defects::ADVICE);
    flags.push(defects::WITHOUT_OPTIMIZATION.into());
    let (program, log) = run(source, kernel, arch, &flags)?;
    let log = [log.as_str(), defects::ADVICE].join("\n").trim().to_owned();
    Ok(Cubin { image: program.cubin()?, log })
}

/// Like [`compile_object`], with the assembler's report of registers, spills and memory as the log.
///
/// # Errors
/// The errors of [`compile_object`].
pub fn compile_verbose(source: &str, kernel: &str, options: &CompileOptions) -> Result<Cubin, NvrtcError> {
    let mut flags = flags(options);
    flags.push("--ptxas-options=--verbose".into());
    let cubin = assembled(source, kernel, options.arch, flags.clone())?;
    if cubin.log.contains(kernel) {
        return Ok(cubin);
    }
    // NVRTC keeps what it has compiled in a cache of its own, without the log.
    flags.push("--no-cache".into());
    assembled(source, kernel, options.arch, flags)
}

/// Compiles one kernel's source to PTX, for reading.
///
/// # Errors
/// The errors of [`compile`].
pub fn ptx(source: &str, kernel: &str, options: &CompileOptions) -> Result<String, NvrtcError> {
    let mut flags = flags(options);
    // A real architecture gives machine code alone.
    flags[0] = flags[0].replace("=sm_", "=compute_");
    run(source, kernel, options.arch, &flags)?.0.ptx()
}

/// A compiled program, and the compiler's log.
fn run(source: &str, kernel: &str, arch: Arch, flags: &[String]) -> Result<(Program, String), NvrtcError> {
    library::open()?;
    let program = Program::new(source, kernel)?;
    let result = program.compile(flags);
    let log = program.log();
    if result != sys::nvrtcResult::NVRTC_SUCCESS {
        return Err(NvrtcError::Compile { kernel: kernel.into(), arch, log });
    }
    Ok((program, log))
}

/// The options as NVRTC's flags; they are part of every cache key.
#[doc(hidden)]
pub fn flags(options: &CompileOptions) -> Vec<String> {
    let mut flags = vec![format!("--gpu-architecture={}", options.arch), "--std=c++17".into()];
    flags.push(format!("--fmad={}", options.fmad));
    // rustc has warned of unused code: 177 is a variable without a reference, 550 one that is set and not used.
    flags.push("--diag-suppress=177,550".into());
    // NVRTC takes a generic lambda for a function of the host, even in a kernel.
    flags.push("--device-as-default-execution-space".into());
    if options.relocatable {
        flags.push("--relocatable-device-code=true".into());
    }
    if options.warns_of_local_memory {
        flags.push("--ptxas-options=--warn-on-spills".into());
        flags.push("--ptxas-options=--warn-on-local-memory-usage".into());
    }
    match options.debug_info {
        DebugInfo::None => {}
        DebugInfo::Lines => flags.push("--generate-line-info".into()),
        DebugInfo::Full => flags.push("--device-debug".into()),
    }
    flags
}

fn check(call: &'static str, result: sys::nvrtcResult) -> Result<(), NvrtcError> {
    match result {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        other => Err(NvrtcError::Call { call, result: format!("{other:?}") }),
    }
}

/// The functions of NVRTC that are called, for the test that finds others.
#[doc(hidden)]
pub fn functions() -> &'static [&'static str] {
    library::CALLED
}

/// The functions of the driver that are called here, for the test that finds others.
#[doc(hidden)]
pub fn driver_functions() -> &'static [&'static str] {
    driver_link::CALLED
}

#[cfg(test)]
mod tests;
