//! The registers and memory of a loaded kernel, as the driver reports them.

use cudarc::driver::sys::CUfunction_attribute as Attribute;

use super::{DriverError, Loaded};
use crate::nvrtc::Arch;
use crate::resources::Resources;

impl Loaded {
    /// Registers, memory and versions of the function that is loaded.
    ///
    /// The driver does not know of spills, frames and barriers: a [`Launch`](crate::Launch) asks NVRTC for those.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuFuncGetAttribute`.
    pub fn resources(&self) -> Result<Resources, DriverError> {
        let get = |attribute: Attribute| {
            let value = self.cuda_function().get_attribute(attribute);
            value.map_err(|e| DriverError::cuda("cuFuncGetAttribute", &e))
        };
        let count = |attribute| get(attribute).map(|n| u32::try_from(n).unwrap_or(0));
        let binary = count(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?;
        Ok(Resources {
            kernel: self.name().to_owned(),
            arch: Arch { major: binary / 10, minor: binary % 10, specific: self.needs().arch_specific },
            registers: count(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            spills: None,
            stack_frame: None,
            local: count(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared: count(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?
                + self.needs().large_shared_bytes as u32,
            dynamic_shared: 0,
            constant: count(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            barriers: None,
            max_threads: count(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            ptx_version: count(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)?,
            binary_version: binary,
            remarks: Vec::new(),
            cache_all: Some(get(Attribute::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA)? != 0),
        })
    }
}
