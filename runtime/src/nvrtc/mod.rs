//! Compiles CUDA C++ to a cubin with NVRTC.
//!
//! What comes in is source text and options; what goes out is machine code for one architecture. Kernels
//! that launch kernels are linked with CUDA's device runtime.
//! Knows nothing of kernels, devices or caches. A missing library is an error, never a panic.

mod driver_link;
mod libraries;
mod link;

pub(crate) use link::identity as link_identity;
pub use link::link;

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use cudarc::nvrtc::sys;

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
    /// Whether profilers and debuggers see source lines.
    pub line_info: bool,
    /// Whether kernels launch kernels: the code is relocatable and linked with CUDA's device runtime.
    pub relocatable: bool,
}

/// Machine code, and what the compiler said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The ELF image.
    pub image: Vec<u8>,
    /// Warnings; empty when there were none.
    pub log: String,
}

/// Why there is no cubin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvrtcError {
    /// The library cannot be loaded.
    #[error(
        "NVRTC is missing: libnvrtc is not on the library path; install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` \
         and add its lib folder to LD_LIBRARY_PATH"
    )]
    Missing,
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
        /// Where it was looked for.
        looked: String,
    },
    /// Nothing can link.
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

/// The version of the NVRTC library that is loaded.
///
/// # Errors
/// [`NvrtcError::Missing`] without a library.
pub fn version() -> Result<(i32, i32), NvrtcError> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: opens and closes the library by name; its initialisers are NVIDIA's.
    if !*PRESENT.get_or_init(|| unsafe { sys::is_culib_present() }) {
        return Err(NvrtcError::Missing);
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is present, and both are writable integers.
    check("nvrtcVersion", unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) })?;
    Ok((major, minor))
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
    version()?;
    let program = Program::new(source, kernel)?;
    let result = program.compile(&flags(options));
    let log = program.log();
    if result != sys::nvrtcResult::NVRTC_SUCCESS {
        return Err(NvrtcError::Compile { kernel: kernel.into(), arch: options.arch, log });
    }
    Ok(Cubin { image: program.cubin()?, log })
}

/// The options as NVRTC's flags; they are part of every cache key.
pub fn flags(options: &CompileOptions) -> Vec<String> {
    let mut flags = vec![format!("--gpu-architecture={}", options.arch), "--std=c++17".into()];
    flags.push(format!("--fmad={}", options.fmad));
    // rustc has warned of what is never used: 177 never referenced, 550 set and never used.
    flags.push("--diag-suppress=177,550".into());
    if options.relocatable {
        flags.push("--relocatable-device-code=true".into());
    }
    if options.line_info {
        flags.push("--generate-line-info".into());
    }
    flags
}

fn check(call: &'static str, result: sys::nvrtcResult) -> Result<(), NvrtcError> {
    match result {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        other => Err(NvrtcError::Call { call, result: format!("{other:?}") }),
    }
}

/// An NVRTC program, destroyed when dropped.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(source: &str, kernel: &str) -> Result<Self, NvrtcError> {
        let nul =
            |_| NvrtcError::Call { call: "nvrtcCreateProgram", result: "the source holds a NUL byte".into() };
        let source = CString::new(source).map_err(nul)?;
        let name = CString::new(format!("{kernel}.cu")).map_err(nul)?;
        let mut program = std::ptr::null_mut();
        // SAFETY: both strings end in NUL and outlive the call, which copies them.
        let result = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut program,
                source.as_ptr(),
                name.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        check("nvrtcCreateProgram", result)?;
        Ok(Self(program))
    }

    fn compile(&self, flags: &[String]) -> sys::nvrtcResult {
        let flags: Vec<CString> = flags.iter().filter_map(|f| CString::new(f.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = flags.iter().map(|f| f.as_ptr()).collect();
        // SAFETY: the pointers are to NUL-terminated strings that outlive the call.
        unsafe { sys::nvrtcCompileProgram(self.0, pointers.len() as i32, pointers.as_ptr()) }
    }

    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program is alive; `size` is writable.
        if unsafe { sys::nvrtcGetProgramLogSize(self.0, &raw mut size) } != sys::nvrtcResult::NVRTC_SUCCESS {
            return String::new();
        }
        let mut log = vec![0u8; size.max(1)];
        // SAFETY: the buffer has the size that NVRTC asked for.
        if unsafe { sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()) }
            != sys::nvrtcResult::NVRTC_SUCCESS
        {
            return String::new();
        }
        CStr::from_bytes_until_nul(&log)
            .map(|log| log.to_string_lossy().trim().to_owned())
            .unwrap_or_default()
    }

    fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is alive and compiled; `size` is writable.
        check("nvrtcGetCUBINSize", unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut size) })?;
        let mut image = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC asked for.
        check("nvrtcGetCUBIN", unsafe { sys::nvrtcGetCUBIN(self.0, image.as_mut_ptr().cast()) })?;
        Ok(image)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created by `nvrtcCreateProgram`, destroyed once. Nothing can be done about a failure.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

#[cfg(test)]
mod tests;
