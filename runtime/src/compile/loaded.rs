//! Kernels on a device: recorded, compiled and loaded at their first use.

use std::sync::Arc;

use super::kernel::{AnyKernel, Kernel, Specialized};
use super::{Compiled, module, recorded};
use crate::codegen::Checks;
use crate::driver::{Gpu, Loaded, Recorded, Version};
use crate::error::Result;

impl Gpu {
    /// The kernel for these comptime values, compiled and loaded at its first use.
    ///
    /// # Errors
    /// An error of recording, validation, compilation or loading.
    pub fn load<K: Kernel>(&self, comptime: &K::Comptime, checks: Checks) -> Result<Arc<Loaded>> {
        self.loaded(&Specialized::<K>(comptime.clone()), checks).cloned()
    }

    /// Like [`Gpu::load`]; finding it takes no lock.
    pub(crate) fn loaded(&self, kernel: &dyn AnyKernel, version: impl Into<Version>) -> Result<&Arc<Loaded>> {
        let version = version.into();
        if let Some(loaded) = self.loaded_kernels().find(kernel, version) {
            return Ok(loaded);
        }
        let fresh = Arc::new(self.compile(kernel, version)?);
        Ok(self.loaded_kernels().add(kernel, version, fresh))
    }

    /// The facts about a kernel before it is compiled.
    pub(crate) fn recorded(&self, kernel: &dyn AnyKernel) -> Result<&Recorded> {
        if let Some(known) = self.recorded_kernels().find(kernel, Checks::None) {
            return Ok(known);
        }
        let fresh = Recorded::new(module(kernel)?);
        Ok(self.recorded_kernels().add(kernel, Checks::None, fresh))
    }

    fn compile(&self, kernel: &dyn AnyKernel, version: Version) -> Result<Loaded> {
        self.bind()?;
        let known = self.recorded_kernels().find(kernel, Checks::None).and_then(Recorded::take);
        let module = known.map_or_else(|| module(kernel), Ok)?;
        let Compiled { source, cubin } = recorded(&module, kernel, version, self.limits().compute)?;
        Ok(self.load_cubin(kernel.name(), source, &cubin)?)
    }
}
