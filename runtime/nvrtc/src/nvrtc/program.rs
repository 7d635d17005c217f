//! One NVRTC program, from source to its code and log.

use std::ffi::{CStr, CString, c_char};

use cudarc::nvrtc::sys;

use super::{NvrtcError, check};

/// An NVRTC program, destroyed when dropped.
pub(super) struct Program(sys::nvrtcProgram);

impl Program {
    /// A program of one source.
    pub fn new(source: &str, kernel: &str) -> Result<Self, NvrtcError> {
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

    /// Compiles it with these flags.
    pub fn compile(&self, flags: &[String]) -> sys::nvrtcResult {
        let flags: Vec<CString> = flags.iter().filter_map(|f| CString::new(f.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = flags.iter().map(|f| f.as_ptr()).collect();
        // SAFETY: the pointers are to NUL-terminated strings that outlive the call.
        unsafe { sys::nvrtcCompileProgram(self.0, pointers.len() as i32, pointers.as_ptr()) }
    }

    /// The compiler's log.
    pub fn log(&self) -> String {
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

    /// Its machine code.
    ///
    /// Source: NVRTC, `nvrtcGetCUBIN`.
    pub fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is alive and compiled; `size` is writable.
        check("nvrtcGetCUBINSize", unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut size) })?;
        let mut image = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC asked for.
        check("nvrtcGetCUBIN", unsafe { sys::nvrtcGetCUBIN(self.0, image.as_mut_ptr().cast()) })?;
        Ok(image)
    }

    /// Its PTX.
    ///
    /// Source: NVRTC, `nvrtcGetPTX`.
    pub fn ptx(&self) -> Result<String, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is alive and compiled; `size` is writable.
        check("nvrtcGetPTXSize", unsafe { sys::nvrtcGetPTXSize(self.0, &raw mut size) })?;
        let mut text = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC asked for.
        check("nvrtcGetPTX", unsafe { sys::nvrtcGetPTX(self.0, text.as_mut_ptr().cast()) })?;
        text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created by `nvrtcCreateProgram`, destroyed once. Nothing can be done about a failure.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}
