//! Links relocatable code with CUDA's device runtime, for kernels that launch kernels.
//!
//! nvJitLink links where it is installed, which needs no GPU; else the driver does.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;

use super::{Arch, NvrtcError, driver_link, libraries};

/// Names the library with CUDA's device runtime.
const VARIABLE: &str = "WARPSMITH_CUDADEVRT";
const RUNTIME: &str = if cfg!(windows) { "cudadevrt.lib" } else { "libcudadevrt.a" };

/// CUDA's device runtime, read at its first use.
pub(super) fn device_runtime() -> Result<&'static [u8], NvrtcError> {
    static RUNTIME_READ: OnceLock<Result<Vec<u8>, NvrtcError>> = OnceLock::new();
    RUNTIME_READ
        .get_or_init(|| read_runtime(std::env::var_os(VARIABLE).map(PathBuf::from)))
        .as_deref()
        .map_err(Clone::clone)
}

/// Reads the library at a path that is named, else at the first place that has it.
pub(super) fn read_runtime(named: Option<PathBuf>) -> Result<Vec<u8>, NvrtcError> {
    let places = match named {
        Some(path) => vec![path],
        None => libraries::folders().into_iter().map(|folder| folder.join(RUNTIME)).collect(),
    };
    let found = places.iter().find_map(|path| std::fs::read(path).ok());
    let Some(bytes) = found else {
        let looked = places.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        return Err(NvrtcError::DeviceRuntime { library: RUNTIME, variable: VARIABLE, looked });
    };
    Ok(bytes)
}

/// Links what [`super::compile_object`] gave with the device runtime; machine code that can be loaded.
///
/// # Errors
/// [`NvrtcError::DeviceRuntime`] without the library, [`NvrtcError::NoLinker`] without nvJitLink and GPU,
/// [`NvrtcError::Link`] with the linker's words.
pub fn link(object: &[u8], kernel: &str, arch: Arch) -> Result<Vec<u8>, NvrtcError> {
    let runtime = device_runtime()?;
    match Linker::get() {
        Ok(Some(linker)) => linker.link(object, runtime, arch).map_err(|log| NvrtcError::Link {
            kernel: kernel.into(),
            arch,
            linker: "nvJitLink",
            log,
        }),
        Ok(None) => driver_link::link(object, runtime, kernel, arch),
        // The driver needs no nvJitLink; where it cannot link either, that is what to mend.
        Err(lacking) => match driver_link::link(object, runtime, kernel, arch) {
            Err(NvrtcError::NoLinker) => Err(lacking),
            linked => linked,
        },
    }
}

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle, u32, *const *const c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Handle) -> c_int;
type AddData = unsafe extern "C" fn(Handle, c_int, *const c_void, usize, *const c_char) -> c_int;
type Complete = unsafe extern "C" fn(Handle) -> c_int;
type GetSize = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type GetBytes = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type Version = unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> c_int;

/// `NVJITLINK_INPUT_CUBIN`
const INPUT_CUBIN: c_int = 1;
/// `NVJITLINK_INPUT_LIBRARY`
const INPUT_LIBRARY: c_int = 6;

/// nvJitLink's functions; the library stays loaded.
struct Linker {
    version: (c_uint, c_uint),
    create: Create,
    destroy: Destroy,
    add_data: AddData,
    complete: Complete,
    cubin_size: GetSize,
    cubin: GetBytes,
    log_size: GetSize,
    log: GetBytes,
}

impl Linker {
    /// nvJitLink, if it is installed and reads what this NVRTC writes: of its major version, and not older.
    ///
    /// # Errors
    /// [`NvrtcError::Symbol`] if it lacks a function.
    fn get() -> Result<Option<&'static Self>, NvrtcError> {
        static LINKER: OnceLock<Result<Option<Linker>, NvrtcError>> = OnceLock::new();
        LINKER.get_or_init(Self::load).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn load() -> Result<Option<Self>, NvrtcError> {
        // Without NVRTC there is no version to look for.
        let Ok((major, minor)) = super::version() else { return Ok(None) };
        let name = if cfg!(windows) {
            format!("nvJitLink_{major}0_0.dll")
        } else {
            format!("libnvJitLink.so.{major}")
        };
        let folders = libraries::folders().into_iter().map(|folder| folder.join(&name));
        let places = std::iter::once(PathBuf::from(&name)).chain(folders.filter(|path| path.is_file()));
        // SAFETY: the library is NVIDIA's, by its name; so are its initialisers.
        let library = places.into_iter().find_map(|path| unsafe { libloading::Library::new(path) }.ok());
        let Some(library) = library else { return Ok(None) };
        // Never unloaded: its functions are used as long as the process runs.
        let linker = Self::of(Box::leak(Box::new(library)), major)?;
        Ok((i64::from(linker.version.1) >= i64::from(minor)).then_some(linker))
    }

    fn of(library: &'static libloading::Library, major: i32) -> Result<Self, NvrtcError> {
        // SAFETY: the types are those that nvJitLink.h gives the functions of these names.
        unsafe {
            let mut version = (0, 0);
            let read: Version = function(library, "Version", major)?;
            let result = read(&raw mut version.0, &raw mut version.1);
            if result != 0 {
                return Err(NvrtcError::Call { call: "nvJitLinkVersion", result: result.to_string() });
            }
            Ok(Self {
                version,
                create: function(library, "Create", major)?,
                destroy: function(library, "Destroy", major)?,
                add_data: function(library, "AddData", major)?,
                complete: function(library, "Complete", major)?,
                cubin_size: function(library, "GetLinkedCubinSize", major)?,
                cubin: function(library, "GetLinkedCubin", major)?,
                log_size: function(library, "GetErrorLogSize", major)?,
                log: function(library, "GetErrorLog", major)?,
            })
        }
    }

    fn link(&self, object: &[u8], runtime: &[u8], arch: Arch) -> Result<Vec<u8>, String> {
        let link = Link::new(self, arch)?;
        link.add(INPUT_CUBIN, object, "kernels")?;
        link.add(INPUT_LIBRARY, runtime, "cudadevrt")?;
        // SAFETY: the link is alive, and its inputs were added.
        link.check("nvJitLinkComplete", unsafe { (self.complete)(link.handle) })?;
        let mut size = 0;
        // SAFETY: the link is complete; `size` is writable.
        link.check("nvJitLinkGetLinkedCubinSize", unsafe { (self.cubin_size)(link.handle, &raw mut size) })?;
        let mut image = vec![0u8; size];
        // SAFETY: the image has the size that nvJitLink asked for.
        let result = unsafe { (self.cubin)(link.handle, image.as_mut_ptr().cast()) };
        link.check("nvJitLinkGetLinkedCubin", result)?;
        Ok(image)
    }
}

/// A function by its name, or by that of the first interface of its version.
///
/// # Safety
/// `F` is the function's type.
unsafe fn function<F: Copy>(library: &libloading::Library, name: &str, major: i32) -> Result<F, NvrtcError> {
    let names = [format!("nvJitLink{name}"), format!("__nvJitLink{name}_{major}_0")];
    // SAFETY: as promised by the caller.
    let found =
        names.iter().find_map(|name| unsafe { library.get::<F>(name.as_bytes()) }.ok().map(|found| *found));
    found.ok_or_else(|| {
        let way =
            "`pip install nvidia-nvjitlink` of NVRTC's version and add its lib folder to LD_LIBRARY_PATH";
        NvrtcError::Symbol { library: "libnvJitLink", symbol: format!("nvJitLink{name}"), way }
    })
}

/// One link, destroyed when dropped.
struct Link<'l> {
    linker: &'l Linker,
    handle: Handle,
}

impl<'l> Link<'l> {
    fn new(linker: &'l Linker, arch: Arch) -> Result<Self, String> {
        let option = CString::new(format!("-arch={arch}")).map_err(|nul| nul.to_string())?;
        let options = [option.as_ptr()];
        let mut handle = ptr::null_mut();
        // SAFETY: one option, which ends in NUL and outlives the call; `handle` is writable.
        let result = unsafe { (linker.create)(&raw mut handle, 1, options.as_ptr()) };
        if result != 0 {
            return Err(format!("nvJitLinkCreate: {result}"));
        }
        Ok(Self { linker, handle })
    }

    fn add(&self, kind: c_int, data: &[u8], name: &str) -> Result<(), String> {
        let name = CString::new(name).map_err(|nul| nul.to_string())?;
        let data = (data.as_ptr().cast(), data.len());
        // SAFETY: the data and the name outlive the call, which reads them.
        let result = unsafe { (self.linker.add_data)(self.handle, kind, data.0, data.1, name.as_ptr()) };
        self.check("nvJitLinkAddData", result)
    }

    /// The error log of a call that failed.
    fn check(&self, call: &str, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        let mut size = 0usize;
        // SAFETY: the link is alive; `size` is writable.
        let sized = unsafe { (self.linker.log_size)(self.handle, &raw mut size) } == 0;
        let mut log = vec![0u8; size + 1];
        // SAFETY: the buffer has the size that nvJitLink asked for, and a byte more.
        if sized && unsafe { (self.linker.log)(self.handle, log.as_mut_ptr().cast()) } == 0 {
            let text = String::from_utf8_lossy(&log);
            return Err(format!("{call}: {result}: {}", text.trim_matches(['\0', '\n', ' '])));
        }
        Err(format!("{call}: {result}"))
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        // SAFETY: created by `nvJitLinkCreate`, destroyed once. Nothing can be done about a failure.
        let _ = unsafe { (self.linker.destroy)(&raw mut self.handle) };
    }
}
