//! The driver's linker, for machines that have a GPU and no nvJitLink.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUjit_option as JitOption, CUjitInputType as Input, CUresult};

use super::{Arch, NvrtcError};

/// Bytes of the linker's error log.
const LOG_BYTES: usize = 16 * 1024;

/// Links with the linker of the context that is current.
pub(super) fn link(object: &[u8], runtime: &[u8], kernel: &str, arch: Arch) -> Result<Vec<u8>, NvrtcError> {
    if !has_context()? {
        return Err(NvrtcError::NoLinker);
    }
    let mut log = vec![0u8; LOG_BYTES];
    linked(object, runtime, &mut log).map_err(|(call, result)| {
        let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
        let text = String::from_utf8_lossy(&log[..end]);
        let log = format!("{call}: {result:?}: {}", text.trim());
        NvrtcError::Link { kernel: kernel.into(), arch, linker: "the CUDA driver", log }
    })
}

/// The functions of the driver that this module calls.
pub(super) const CALLED: &[&str] =
    &["cuCtxGetCurrent", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkCreate_v2", "cuLinkDestroy"];

/// Returns whether there is a driver, with these functions: cudarc panics where one is missing.
fn is_present() -> Result<bool, NvrtcError> {
    static PRESENT: OnceLock<Result<bool, NvrtcError>> = OnceLock::new();
    PRESENT.get_or_init(look).clone()
}

fn look() -> Result<bool, NvrtcError> {
    // SAFETY: opens and closes the driver by name; its initialisers are NVIDIA's.
    if !unsafe { sys::is_culib_present() } {
        return Ok(false);
    }
    // SAFETY: the driver is present; the function is looked up and not called.
    let has =
        |symbol: &&&str| unsafe { sys::culib().get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_ok();
    let Some(symbol) = CALLED.iter().find(|symbol| !has(symbol)) else { return Ok(true) };
    let way = "install the NVIDIA driver of CUDA 12.0 or later, or nvJitLink, which needs no driver: \
               `pip install nvidia-nvjitlink` of NVRTC's major version, its lib folder on LD_LIBRARY_PATH";
    Err(NvrtcError::Symbol { library: "libcuda", symbol: (*symbol).to_owned(), way })
}

/// Returns whether this thread has a context: a linker is the context's.
fn has_context() -> Result<bool, NvrtcError> {
    if !is_present()? {
        return Ok(false);
    }
    let mut context = ptr::null_mut();
    // SAFETY: the driver is present; `context` is writable.
    let result = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
    Ok(result == CUresult::CUDA_SUCCESS && !context.is_null())
}

type Failed = (&'static str, CUresult);

fn linked(object: &[u8], runtime: &[u8], log: &mut [u8]) -> Result<Vec<u8>, Failed> {
    let link = Link::new(log)?;
    link.add(Input::CU_JIT_INPUT_CUBIN, object, c"kernels")?;
    link.add(Input::CU_JIT_INPUT_LIBRARY, runtime, c"cudadevrt")?;
    let (mut image, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the link is alive; both results are writable.
    let result = unsafe { sys::cuLinkComplete(link.0, &raw mut image, &raw mut size) };
    check("cuLinkComplete", result)?;
    // SAFETY: the driver gives that many bytes, which live as long as the link.
    Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
}

fn check(call: &'static str, result: CUresult) -> Result<(), Failed> {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err((call, result)) }
}

/// One link, destroyed when dropped.
struct Link(sys::CUlinkState);

impl Link {
    /// A link that writes its errors to `log`, which must outlive it.
    fn new(log: &mut [u8]) -> Result<Self, Failed> {
        let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver reads a size from the bits of a pointer.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
        let mut state = ptr::null_mut();
        // SAFETY: a context is current; two options with their values; `linked` drops the link before its caller reads
        // the log that the driver writes to until then.
        let result =
            unsafe { sys::cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut state) };
        check("cuLinkCreate", result)?;
        Ok(Self(state))
    }

    fn add(&self, kind: Input, data: &[u8], name: &std::ffi::CStr) -> Result<(), Failed> {
        // SAFETY: the driver copies the data, which it does not write, before the call returns.
        let result = unsafe {
            sys::cuLinkAddData_v2(
                self.0,
                kind,
                data.as_ptr().cast_mut().cast(),
                data.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        check("cuLinkAddData", result)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: created by `cuLinkCreate`, destroyed once. Nothing can be done about a failure.
        let _ = unsafe { sys::cuLinkDestroy(self.0) };
    }
}
